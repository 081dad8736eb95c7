import { type Amounts, type ChargeDraft, NO_AMOUNTS } from "./amounts.ts";
import { bucketStartMs, cutAtHours, type Interval } from "./calendar.ts";
import type { Footprint } from "./carbon.ts";
import { chargeOfIdle, chargeOfUse, idleDoneMs, idleOf, type OwnedPool, type OwnedUse } from "./meter-pool.ts";

/** Money that the ledger has for one cause in one quarter of an hour, corrections and all. */
export interface PostedMoney {
	/** The allocation's id, or the pool's for its idle time. */
	causeId: string;
	/** Any instant of the hour in which the charges lie. */
	atMs: number;
	effectiveMicroUsd: bigint;
}

/**
 * What is missing in the ledger so that everything charged since `sinceMs` is priced by the pool's cards as they are now:
 * one correction for each cause and hour that differs. Nothing is charged that was not charged before: uses count up to
 * where they are metered, idle time likewise. `posted` must hold all that the ledger has from the start of that hour on.
 * Energy and emissions move by what `was`, the pool under its cards before, had given for the same time: of what is known of the grid
 * by now they keep nothing, since no card says that. A second call with these corrections among `posted`, and no change of cards,
 * answers nothing.
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
		cutAtHours({ fromMs: Math.max(use.startMs, fromMs), toMs: use.endMs }, pool.calendar).flatMap((piece) =>
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

/** Manufacture too: a card says it. What one of the two does not know does not move. */
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

/** Time stays as it was charged. */
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
