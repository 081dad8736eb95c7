import { type ChargeDraft, NO_AMOUNTS } from "./amounts.ts";
import { bucketStartMs, cutAtHours, type Interval } from "./calendar.ts";
import { busyMicroUsd, chargeOfIdle, chargeOfUse, idleDoneMs, idleOf, type OwnedPool, type OwnedUse } from "./meter-pool.ts";

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
 * A second call with these corrections among `posted` answers nothing.
 */
export function correctPool(pool: OwnedPool, uses: readonly OwnedUse[], posted: readonly PostedMoney[], sinceMs: number): ChargeDraft[] {
	const fromMs = bucketStartMs("hour", sinceMs, pool.calendar);
	const known = new Map<string, bigint>();
	for (const { causeId, atMs, effectiveMicroUsd } of posted) {
		const key = keyOf(causeId, bucketStartMs("hour", atMs, pool.calendar));
		known.set(key, (known.get(key) ?? 0n) + effectiveMicroUsd);
	}
	const missing = (causeId: string, piece: Interval, microUsd: bigint): bigint =>
		microUsd - (known.get(keyOf(causeId, bucketStartMs("hour", piece.fromMs, pool.calendar))) ?? 0n);
	const asMetered = uses.map((use) => ({ ...use, endMs: use.meteredUntilMs ?? use.startMs }));
	const ofUses = asMetered.flatMap((use) =>
		cutAtHours({ fromMs: Math.max(use.startMs, fromMs), toMs: use.endMs }, pool.calendar).flatMap((piece) => {
			const microUsd = missing(use.allocationId, piece, busyMicroUsd(pool, use, piece));
			return microUsd === 0n ? [] : [correction(chargeOfUse(pool, use, piece), microUsd)];
		}),
	);
	const idle = { fromMs: Math.max(fromMs, pool.ownedSinceMs), toMs: idleDoneMs(pool) };
	const ofIdle = idleOf(pool, asMetered, idle).flatMap(({ piece, amounts }) => {
		const microUsd = missing(pool.poolId, piece, amounts.effectiveMicroUsd);
		return microUsd === 0n ? [] : [correction(chargeOfIdle(pool, piece, amounts), microUsd)];
	});
	return [...ofUses, ...ofIdle];
}

function keyOf(causeId: string, hourMs: number): string {
	return `${causeId}/${hourMs}`;
}

/** Money alone: time, energy and emissions stay as they were charged. */
function correction(charge: ChargeDraft, microUsd: bigint): ChargeDraft {
	return {
		...charge,
		...NO_AMOUNTS,
		...{ listMicroUsd: microUsd, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd },
		dimensions: { ...charge.dimensions, kind: "adjustment" },
		correction: "rate_card",
	};
}
