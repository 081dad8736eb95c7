import { type ChargeDimensions, SLICE_DIMENSIONS, type SliceDimension } from "#server/domain/charge.ts";
import { addSums, NO_SUMS, type RollupDelta, type RollupSums } from "./rollup.ts";

/** The increase of one row of the table `rollup_slice`: rollups of a day or month with all but one dimension aggregated. */
export interface SliceDelta extends RollupSums {
	granularity: "day" | "month";
	dimension: SliceDimension;
	bucketStartMs: number;
	key: string;
	team: string;
	capacityType: ChargeDimensions["capacityType"];
	idle: boolean;
}

/** Idle capacity is owned capacity without a workload class, including its corrections. */
export function isIdle({ capacityType, class: workload }: Pick<ChargeDimensions, "capacityType" | "class">): boolean {
	return capacityType === "owned" && workload === "";
}

/** The increases of all slices, one per key, in the order of the table's key, as in all writers. */
export function sliceDeltas(deltas: readonly RollupDelta[]): SliceDelta[] {
	const byKey = new Map<string, SliceDelta>();
	for (const { granularity, bucketStartMs, dimensions, ...sums } of deltas) {
		if (granularity === "hour") continue;
		const { team, capacityType } = dimensions;
		const idle = isIdle(dimensions);
		for (const dimension of SLICE_DIMENSIONS) {
			const key = keyOf(dimension, dimensions);
			const id = JSON.stringify([granularity, dimension, bucketStartMs, key, team, capacityType, idle]);
			const row = byKey.get(id) ?? { granularity, dimension, bucketStartMs, key, team, capacityType, idle, ...NO_SUMS };
			byKey.set(id, { ...row, ...addSums(row, sums) });
		}
	}
	return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function keyOf(dimension: SliceDimension, dimensions: ChargeDimensions): string {
	if (dimension === "") return "";
	return dimensions[dimension === "site" ? "siteId" : dimension];
}
