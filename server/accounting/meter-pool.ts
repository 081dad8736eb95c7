import type { ChargeDimensions } from "#server/domain/charge.ts";
import { costOfElapsed } from "#server/kernel/money.ts";
import { type Amounts, addScaled, type ChargeDraft, difference, NO_AMOUNTS } from "./amounts.ts";
import { bucketStartMs, cutAtHours, type Interval } from "./calendar.ts";
import { footprintOfElapsed, type PowerFacts } from "./carbon.ts";
import { reversed } from "./meter-usage.ts";

/**
 * Owned hardware costs the same used or idle. Every GPU of a pool is priced on one time line that all of them share
 * (its running total since 1970, whole hours exact), so that what jobs used and what stood idle add up to what is owned
 * to the micro-dollar, in every interval.
 */
export interface OwnedPool {
	poolId: string;
	/** All GPUs owned, those out of service too. */
	gpus: number;
	microUsdPerGpuHour: bigint;
	ownedSinceMs: number;
	/** Up to where idle time is charged; null: from ownedSinceMs on. */
	idleMeteredUntilMs: number | null;
	power: Omit<PowerFacts, "load">;
	place: Pick<ChargeDimensions, "siteId" | "provider" | "region" | "accelerator">;
}

/** GPUs of the pool in the hands of one attempt. */
export interface OwnedUse {
	allocationId: string;
	jobId: string;
	attemptId: string;
	gpus: number;
	/** Price when it was placed; a later rate card does not change it. */
	microUsdPerGpuHour: bigint;
	startMs: number;
	endMs: number | null;
	meteredUntilMs: number | null;
	work: Pick<ChargeDimensions, "team" | "project" | "class">;
}

export interface MeteredPool {
	charges: ChargeDraft[];
	idleMeteredUntilMs: number;
	/** allocationId → up to where it is charged now, for every use that was given. */
	usesMeteredUntilMs: Map<string, number>;
}

/**
 * Charges for all uses and for the idle rest of a pool up to `untilMs`, one for each cause and UTC hour.
 * `uses` must hold every allocation that overlaps the time since idleMeteredUntilMs or is not metered to its end.
 * While more GPUs are in use than the pool has (it shrank), nothing is idle.
 */
export function meterPool(pool: OwnedPool, uses: readonly OwnedUse[], untilMs: number): MeteredPool {
	const fromMs = idleDoneMs(pool);
	const toMs = Math.max(fromMs, untilMs);
	const metered = uses.map((use) => ({ use, ...meterOwnedUse(pool, use, untilMs) }));
	const busy = new Map<number, Amounts>();
	for (const use of uses) {
		for (const piece of cutAtHours({ fromMs: Math.max(use.startMs, fromMs), toMs: Math.min(use.endMs ?? toMs, toMs) })) {
			const hour = Math.max(bucketStartMs("hour", piece.fromMs), fromMs);
			busy.set(hour, addScaled(busy.get(hour) ?? NO_AMOUNTS, amountsOfGpu(pool, pool.microUsdPerGpuHour, "idle", piece), BigInt(use.gpus)));
		}
	}
	const idle = cutAtHours({ fromMs, toMs }).flatMap((hour) => {
		const owned = addScaled(NO_AMOUNTS, amountsOfGpu(pool, pool.microUsdPerGpuHour, "idle", hour), BigInt(pool.gpus));
		const rest = difference(owned, busy.get(hour.fromMs) ?? NO_AMOUNTS);
		return rest.gpuMs > 0n ? [idleCharge(pool, hour, rest)] : [];
	});
	return {
		charges: [...metered.flatMap((m) => m.charges), ...idle],
		idleMeteredUntilMs: toMs,
		usesMeteredUntilMs: new Map(metered.map((m) => [m.use.allocationId, m.meteredUntilMs])),
	};
}

/**
 * Charges for one use up to `untilMs` or its end. Where the pool's idle time is charged already, the idle charge is
 * moved with it: a use that was not known then takes idle time away, an end that was learnt late gives it back.
 */
export function meterOwnedUse(pool: OwnedPool, use: OwnedUse, untilMs: number): { charges: ChargeDraft[]; meteredUntilMs: number } {
	const doneMs = Math.max(use.startMs, use.meteredUntilMs ?? use.startMs);
	const endMs = use.endMs === null ? null : Math.max(use.endMs, use.startMs);
	const back = endMs !== null && endMs < doneMs;
	const toMs = back ? endMs : Math.max(doneMs, endMs === null ? untilMs : Math.min(untilMs, endMs));
	const moved = { fromMs: Math.min(doneMs, toMs), toMs: Math.max(doneMs, toMs) };
	const used = cutAtHours(moved).map((piece) => useCharge(pool, use, piece));
	const idleMoved = { fromMs: Math.max(moved.fromMs, pool.ownedSinceMs), toMs: Math.min(moved.toMs, idleDoneMs(pool)) };
	const idle = cutAtHours(idleMoved).map((piece) =>
		idleCharge(pool, piece, addScaled(NO_AMOUNTS, amountsOfGpu(pool, pool.microUsdPerGpuHour, "idle", piece), BigInt(use.gpus))),
	);
	return { charges: back ? [...used.map(reversed), ...idle] : [...used, ...idle.map(reversed)], meteredUntilMs: toMs };
}

function idleDoneMs(pool: OwnedPool): number {
	return Math.max(pool.ownedSinceMs, pool.idleMeteredUntilMs ?? pool.ownedSinceMs);
}

function useCharge(pool: OwnedPool, use: OwnedUse, piece: Interval): ChargeDraft {
	return {
		periodStartMs: piece.fromMs,
		periodEndMs: piece.toMs,
		dimensions: { ...use.work, ...pool.place, capacityType: "owned", kind: "compute" },
		jobId: use.jobId,
		attemptId: use.attemptId,
		instanceId: null,
		allocationId: use.allocationId,
		poolId: null,
		...addScaled(NO_AMOUNTS, amountsOfGpu(pool, use.microUsdPerGpuHour, "busy", piece), BigInt(use.gpus)),
		carbonQuality: "estimated",
	};
}

function idleCharge(pool: OwnedPool, piece: Interval, amounts: Amounts): ChargeDraft {
	return {
		periodStartMs: piece.fromMs,
		periodEndMs: piece.toMs,
		dimensions: { team: "", project: "", class: "", ...pool.place, capacityType: "owned", kind: "idle" },
		jobId: null,
		attemptId: null,
		instanceId: null,
		allocationId: null,
		poolId: pool.poolId,
		...amounts,
		carbonQuality: "estimated",
	};
}

/** One GPU over the interval. Nobody invoices owned hardware, so nothing is billed; its use still has its effective cost. */
function amountsOfGpu(pool: OwnedPool, microUsdPerGpuHour: bigint, load: PowerFacts["load"], { fromMs, toMs }: Interval): Amounts {
	const microUsd = costOfElapsed(microUsdPerGpuHour, toMs) - costOfElapsed(microUsdPerGpuHour, fromMs);
	const later = footprintOfElapsed({ ...pool.power, load }, toMs);
	const earlier = footprintOfElapsed({ ...pool.power, load }, fromMs);
	return {
		gpuMs: BigInt(toMs - fromMs),
		listMicroUsd: microUsd,
		contractedMicroUsd: microUsd,
		effectiveMicroUsd: microUsd,
		billedMicroUsd: 0n,
		energyMilliWh: later.energyMilliWh - earlier.energyMilliWh,
		emissionsMilligrams:
			later.emissionsMilligrams === null || earlier.emissionsMilligrams === null
				? null
				: later.emissionsMilligrams - earlier.emissionsMilligrams,
	};
}
