import type { ChargeDimensions } from "#server/domain/charge.ts";
import { type Amounts, addScaled, type ChargeDraft, NO_AMOUNTS } from "./amounts.ts";
import { bucketStartMs, GRANULARITIES, type Granularity } from "./calendar.ts";

/** What one row of the table `rollup` gains by some charges. */
export interface RollupDelta extends Amounts {
	granularity: Granularity;
	bucketStartMs: number;
	dimensions: ChargeDimensions;
	/** Sum of the emissions that are known. */
	emissionsMilligrams: bigint;
	charges: number;
}

/**
 * The gains of all three granularities, one for each key, in the order of the table's key: writers that take rows in one
 * order never wait for each other in a circle.
 */
export function rollupDeltas(charges: readonly ChargeDraft[]): RollupDelta[] {
	const byKey = new Map<string, RollupDelta>();
	for (const charge of charges) {
		const known = { ...charge, emissionsMilligrams: charge.emissionsMilligrams ?? 0n };
		for (const granularity of GRANULARITIES) {
			const bucket = bucketStartMs(granularity, charge.periodStartMs);
			const key = keyOf(granularity, bucket, charge.dimensions);
			const row = byKey.get(key) ?? {
				granularity,
				bucketStartMs: bucket,
				dimensions: charge.dimensions,
				...NO_AMOUNTS,
				emissionsMilligrams: 0n,
				charges: 0,
			};
			const sums = addScaled(row, known, 1n);
			byKey.set(key, { ...row, ...sums, emissionsMilligrams: sums.emissionsMilligrams ?? 0n, charges: row.charges + 1 });
		}
	}
	return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function keyOf(granularity: Granularity, bucket: number, d: ChargeDimensions): string {
	return JSON.stringify([
		...[granularity, bucket, d.team, d.project, d.class],
		...[d.siteId, d.provider, d.region, d.capacityType, d.accelerator, d.kind],
	]);
}
