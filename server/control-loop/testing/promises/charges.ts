import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { Observed } from "./observed.ts";
import type { Promised } from "./promise.ts";

/** AWS bills a machine by the second and at least a minute. Costs at other providers are left to the tests of their terms. */
const BILLED_STEP_MS = SECOND_MS;
const BILLED_MS_MIN = MINUTE_MS;

type Instance = Observed["instances"][number];
type Charge = Observed["charges"][number];

/**
 * Every second of every instance is charged once: its charges lie end to end from the beginning of its billed time and add up
 * to time × price. At the end, use and idle time of each pool add up to what owning it costs.
 */
export function charges(): Promised {
	const compare = ({ instances, charges: all }: Observed): string | null => {
		const byInstance = Map.groupBy(all.filter(isForTime), (c) => c.instanceId);
		byInstance.delete(null);
		for (const row of instances) {
			const broken = compareInstance(row, byInstance.get(row.id) ?? []);
			if (broken) return broken;
			byInstance.delete(row.id);
		}
		const [unknown] = byInstance.keys();
		return unknown === undefined ? null : `instance ${unknown} is charged and does not exist`;
	};
	return {
		name: "charges",
		after: compare,
		atEnd: (seen) => {
			const open = seen.instances.find(({ billedUntil, meteredUntil }) => billedUntil?.getTime() !== meteredUntil?.getTime());
			if (open) return `instance ${open.id} is not charged to its end`;
			return compare(seen) ?? comparePools(seen);
		},
	};
}

/** Excludes egress, the disk, and the disk's adjustments, which have no GPU time. */
function isForTime({ kind, correction, gpuMs }: Charge): boolean {
	return kind !== "egress" && kind !== "storage" && !(correction === "end_learnt_late" && gpuMs === 0n);
}

function compareInstance(row: Instance, all: readonly Charge[]): string | null {
	const { id, billedFrom, microUsdPerHour, gpus, capacityType, provider } = row;
	if (!billedFrom) return all.length === 0 ? null : `instance ${id} is charged and was never billed`;
	let at = billedFrom.getTime();
	const first = all.filter((c) => c.correction === null).toSorted((a, b) => a.periodStart.getTime() - b.periodStart.getTime());
	for (const { periodStart, periodEnd } of first) {
		if (periodStart.getTime() !== at) return `the charges of ${id} leave or double [${at}, ${periodStart.getTime()})`;
		at = periodEnd.getTime();
		if (Math.floor(periodStart.getTime() / HOUR_MS) !== Math.floor((at - 1) / HOUR_MS)) return `a charge of ${id} crosses an hour`;
	}
	const elapsed = (row.meteredUntil ?? billedFrom).getTime() - billedFrom.getTime();
	const gpuMs = all.reduce((sum, c) => sum + c.gpuMs, 0n);
	if (gpuMs !== BigInt(elapsed * gpus)) return `instance ${id} is charged for ${gpuMs} GPU-ms of ${elapsed * gpus}`;
	// Spot machines cost the market price of each hour.
	if (capacityType === "spot" || provider !== "aws") return null;
	const billed = elapsed === 0 ? 0 : Math.max(BILLED_MS_MIN, Math.ceil(elapsed / BILLED_STEP_MS) * BILLED_STEP_MS);
	const cost = (microUsdPerHour * BigInt(billed)) / BigInt(HOUR_MS);
	const sum = all.reduce((total, c) => total + c.effectiveMicroUsd, 0n);
	return sum === cost ? null : `instance ${id} is charged ${sum} µ$ for ${elapsed} ms, which cost ${cost}`;
}

function comparePools({ pools, allocations, charges: all, nowMs }: Observed): string | null {
	for (const pool of pools) {
		const held = new Set(allocations.filter((a) => a.poolId === pool.id).map((a) => a.id));
		const own = all.filter((c) => c.poolId === pool.id || (c.allocationId !== null && held.has(c.allocationId)));
		const gpus = BigInt(pool.nodes * pool.gpusPerNode);
		const since = pool.ownedSince.getTime();
		const upTo = (ms: number): bigint => (pool.microUsdPerGpuHour * BigInt(ms)) / BigInt(HOUR_MS);
		const cost = gpus * (upTo(nowMs) - upTo(since));
		const sum = own.reduce((total, c) => total + c.effectiveMicroUsd, 0n);
		if (sum !== cost) return `pool ${pool.id} was charged ${sum} µ$, used and idle; owning it cost ${cost}`;
		const gpuMs = own.reduce((total, c) => total + c.gpuMs, 0n);
		const owned = gpus * BigInt(nowMs - since);
		if (gpuMs !== owned) return `pool ${pool.id} was charged for ${gpuMs} GPU-ms of ${owned}`;
	}
	return null;
}
