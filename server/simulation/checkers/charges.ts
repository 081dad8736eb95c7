import type { ChargeDraft } from "#server/accounting/amounts.ts";
import type { InstanceRecord } from "../records.ts";
import type { Checker, Observed } from "./checker.ts";

/** AWS bills a machine by the second and for a minute at least; the only provider that runs draw. */
const BILLED_STEP_MS = 1_000;
const BILLED_MS_MIN = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Every second of every instance is charged once: its charges lie end to end from its launch to its end and add up to
 * time × price. By the end, use and idle time of each pool add up to what is owned.
 */
export function chargesChecker(): Checker {
	const byInstance = new Map<string, ChargeDraft[]>();
	const verified = new Set<string>();
	let read = 0;
	return {
		name: "charges",
		after: ({ world, charges }) => {
			const touched = new Set<string>();
			for (; read < charges.length; read++) {
				const charge = charges[read];
				if (!charge || charge.instanceId === null) continue;
				byInstance.set(charge.instanceId, [...(byInstance.get(charge.instanceId) ?? []), charge]);
				touched.add(charge.instanceId);
			}
			for (const id of touched) {
				const row = world.book.instances.get(id);
				if (!row) return `instance ${id} is charged and does not exist`;
				if (verified.has(id)) return `instance ${id} is charged again after its end`;
				const broken = holdAgainst(row, byInstance.get(id) ?? []);
				if (broken) return broken;
				if (row.terminatedAtMs !== null) verified.add(id);
			}
			return null;
		},
		atEnd: ({ world, charges }) => {
			for (const row of world.book.instances.values()) {
				const broken = holdAgainst(row, byInstance.get(row.id) ?? []);
				if (broken) return broken;
				if (row.launchedAtMs !== null && row.terminatedAtMs !== row.meteredUntilMs) return `instance ${row.id} is not charged to its end`;
			}
			return ownedAddsUp({ world, charges });
		},
	};
}

function holdAgainst(row: InstanceRecord, charges: readonly ChargeDraft[]): string | null {
	if (row.launchedAtMs === null) return charges.length === 0 ? null : `instance ${row.id} is charged and was never launched`;
	let at = row.launchedAtMs;
	let sum = 0n;
	for (const c of charges.toSorted((a, b) => a.periodStartMs - b.periodStartMs)) {
		if (c.periodStartMs !== at) return `the charges of ${row.id} leave or double [${at}, ${c.periodStartMs})`;
		if (Math.floor(c.periodStartMs / HOUR_MS) !== Math.floor((c.periodEndMs - 1) / HOUR_MS)) return `a charge of ${row.id} crosses an hour`;
		at = c.periodEndMs;
		sum += c.effectiveMicroUsd;
	}
	const elapsed = at - row.launchedAtMs;
	const billed = elapsed === 0 ? 0 : Math.max(BILLED_MS_MIN, Math.ceil(elapsed / BILLED_STEP_MS) * BILLED_STEP_MS);
	const want = (row.microUsdPerHour * BigInt(billed)) / BigInt(HOUR_MS);
	return sum === want ? null : `instance ${row.id} is charged ${sum} µ$ for ${elapsed} ms, which cost ${want}`;
}

function ownedAddsUp({ world, charges }: Observed): string | null {
	for (const pool of world.scenario.pools) {
		const own = charges.filter((c) => c.instanceId === null && c.dimensions.siteId === pool.siteId && ofPool(world, c, pool.id));
		const gpus = BigInt(pool.nodes * pool.gpusPerNode);
		const untilMs = world.nowMs();
		const total = (ms: number): bigint => (pool.microUsdPerGpuHour * BigInt(ms)) / BigInt(HOUR_MS);
		const want = gpus * (total(untilMs) - total(pool.ownedSinceMs));
		const sum = own.reduce((s, c) => s + c.effectiveMicroUsd, 0n);
		if (sum !== want) return `pool ${pool.id} was charged ${sum} µ$, used and idle; owning it cost ${want}`;
		const gpuMs = own.reduce((s, c) => s + c.gpuMs, 0n);
		const wantMs = gpus * BigInt(untilMs - pool.ownedSinceMs);
		if (gpuMs !== wantMs) return `pool ${pool.id} was charged for ${gpuMs} GPU-ms of ${wantMs}`;
	}
	return null;
}

function ofPool(world: Observed["world"], charge: ChargeDraft, poolId: string): boolean {
	if (charge.poolId !== null) return charge.poolId === poolId;
	return charge.attemptId !== null && world.book.attempts.get(charge.attemptId)?.placement.poolId === poolId;
}
