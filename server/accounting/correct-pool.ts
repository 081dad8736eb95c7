import { type Amounts, type ChargeDraft, NO_AMOUNTS } from "./amounts.ts";
import { bucketStartMs, type Interval, splitAtHours } from "./calendar.ts";
import type { Footprint } from "./carbon.ts";
import { chargeOfIdle, chargeOfUse, idleDoneMs, idleOf, type OwnedPool, type OwnedUse } from "./meter-pool.ts";

/** Ledger money for one cause in one quarter of an hour, including corrections. */
export interface PostedMoney {
	/** The allocation's id, or the pool's id for its idle time. */
	causeId: string;
	/** Any instant of the hour of the charges. */
	atMs: number;
	effectiveMicroUsd: bigint;
}

/**
 * Corrections after which everything charged since `sinceMs` is priced by the pool's current cards: one for each cause
 * and hour that differs. Time that was never charged is not charged now: uses count up to where they are metered, and
 * so does idle time. `posted` must contain the whole ledger from the start of that hour. Energy and emissions change
 * by the difference to `was`, the pool under its previous cards, for the same time; grid data that has arrived since
 * is not applied, since cards do not change it. A second call with these corrections in `posted` and unchanged cards
 * returns nothing.
 */
export function correctPool(
	pool: OwnedPool,
	uses: readonly OwnedUse[],
	posted: readonly PostedMoney[],
	{ sinceMs, was }: { sinceMs: number; was: OwnedPool },
): ChargeDraft[] {
	const fromMs = bucketStartMs("hour", sinceMs, pool.calendar);
	const known = new Map<string, bigint>();
	for (const { causeId, atMs, effectiveMicroUsd } of posted) {
		const key = keyOf(causeId, bucketStartMs("hour", atMs, pool.calendar));
		known.set(key, (known.get(key) ?? 0n) + effectiveMicroUsd);
	}
	const missing = (causeId: string, piece: Interval, { now, before }: { now: ChargeDraft; before: Amounts }): ChargeDraft[] => {
		const microUsd = now.effectiveMicroUsd - (known.get(keyOf(causeId, bucketStartMs("hour", piece.fromMs, pool.calendar))) ?? 0n);
		const moved = movedFootprint(now, before);
		return microUsd === 0n && Object.values(moved).every((amount) => amount === 0n) ? [] : [correction(now, microUsd, moved)];
	};
	const asMetered = uses.map((use) => ({ ...use, endMs: use.meteredUntilMs ?? use.startMs }));
	const ofUses = asMetered.flatMap((use) =>
		splitAtHours({ fromMs: Math.max(use.startMs, fromMs), toMs: use.endMs }, pool.calendar).flatMap((piece) =>
			missing(use.allocationId, piece, { now: chargeOfUse(pool, use, piece), before: chargeOfUse(was, use, piece) }),
		),
	);
	const idle = { fromMs: Math.max(fromMs, pool.ownedSinceMs), toMs: idleDoneMs(pool) };
	const idleBefore = new Map(idleOf(was, asMetered, idle).map(({ piece, amounts }) => [piece.fromMs, amounts]));
	const ofIdle = idleOf(pool, asMetered, idle).flatMap(({ piece, amounts }) =>
		missing(pool.poolId, piece, { now: chargeOfIdle(pool, piece, amounts), before: idleBefore.get(piece.fromMs) ?? amounts }),
	);
	return [...ofUses, ...ofIdle];
}

function keyOf(causeId: string, hourMs: number): string {
	return `${causeId}/${hourMs}`;
}

/** Manufacturing emissions too, because cards contain them. A figure unknown to either side does not change. */
function movedFootprint(now: Amounts, before: Amounts): Footprint {
	const moved = (a: bigint | null, b: bigint | null): bigint => (a === null || b === null ? 0n : a - b);
	return {
		energyMilliWh: now.energyMilliWh - before.energyMilliWh,
		measuredEnergyMilliWh: now.measuredEnergyMilliWh - before.measuredEnergyMilliWh,
		hourlyGridMilliWh: now.hourlyGridMilliWh - before.hourlyGridMilliWh,
		emissionsMilligrams: moved(now.emissionsMilligrams, before.emissionsMilligrams),
		marketEmissionsMilligrams: moved(now.marketEmissionsMilligrams, before.marketEmissionsMilligrams),
		embodiedMilligrams: moved(now.embodiedMilligrams, before.embodiedMilligrams),
	};
}

/** Time is never corrected. */
function correction(charge: ChargeDraft, microUsd: bigint, footprint: Footprint): ChargeDraft {
	return {
		...charge,
		...NO_AMOUNTS,
		...footprint,
		...{ listMicroUsd: microUsd, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd },
		dimensions: { ...charge.dimensions, kind: "adjustment" },
		correction: "rate_card",
	};
}
