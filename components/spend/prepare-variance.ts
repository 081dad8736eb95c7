import type { Outputs } from "#components/trpc/outputs.ts";
import { VARIANCE_CAUSES, type VarianceCause } from "#server/domain/variance-cause.ts";

export type VarianceView = NonNullable<Outputs["spend"]["variance"]>;

/** A bar of the waterfall. Positions are shares of the width, 0 to 1. */
export interface WaterfallStep {
	cause: VarianceCause | "before" | "after";
	microUsd: bigint;
	from: number;
	to: number;
}

/** Before, each cause that changed anything, and after; each step begins where the one before it ended. */
export function waterfall({
	beforeMicroUsd,
	afterMicroUsd,
	byCause,
}: Pick<VarianceView, "beforeMicroUsd" | "afterMicroUsd" | "byCause">): WaterfallStep[] {
	const causes = VARIANCE_CAUSES.filter((cause) => (byCause[cause] ?? 0n) !== 0n);
	const levels = [beforeMicroUsd];
	for (const cause of causes) levels.push((levels.at(-1) ?? 0n) + (byCause[cause] ?? 0n));
	const all = [0n, afterMicroUsd, ...levels].map(Number);
	const [least, most] = [Math.min(...all), Math.max(...all)];
	const at = (microUsd: bigint) => (most === least ? 0 : (Number(microUsd) - least) / (most - least));
	return [
		{ cause: "before", microUsd: beforeMicroUsd, from: at(0n), to: at(beforeMicroUsd) },
		...causes.map((cause, i) => ({ cause, microUsd: byCause[cause] ?? 0n, from: at(levels[i] ?? 0n), to: at(levels[i + 1] ?? 0n) })),
		{ cause: "after", microUsd: afterMicroUsd, from: at(0n), to: at(afterMicroUsd) },
	];
}
