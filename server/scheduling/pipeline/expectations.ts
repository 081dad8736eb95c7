import type { RunMove, RunView } from "#server/domain/pipeline/advance.ts";
import type { StepSpec } from "#server/domain/pipeline/pipeline.ts";
import type { StepExpectation } from "#server/domain/pipeline/step-expectation.ts";
import { FINAL_STEP_STATES } from "#server/domain/states.ts";
import { mulDivCeil } from "#server/kernel/money.ts";
import type { StepNeed } from "./budget-needs.ts";
import type { GraphQuote } from "./quote-graph.ts";

/** Expectations for each step, by name. */
export type StepExpectations = ReadonlyMap<string, StepExpectation>;

export function expectationsOf(quote: GraphQuote): Map<string, StepExpectation> {
	return new Map(
		quote.steps.map((step) => {
			const { runMs, restMs, spreadMs, restSpreadMs, runs, maximumMicroUsd } = step;
			return [step.name, { runMs, restMs, spreadMs, restSpreadMs, maximumMicroUsd: String(mulDivCeil(maximumMicroUsd, 1n, BigInt(runs))) }];
		}),
	);
}

/** The maximum cost of each step. */
export function stepNeedsOf(steps: readonly StepSpec[], expected: StepExpectations): StepNeed[] {
	return steps.flatMap((step) => {
		const maximum = expected.get(step.name)?.maximumMicroUsd;
		const [first] = step.runs;
		return maximum && first ? [{ spec: first.job, microUsd: BigInt(maximum) * BigInt(step.runs.length) }] : [];
	});
}

/** The worst case of the runs that are unfinished after these moves, retries included. */
export function neededOf(
	graph: readonly Pick<StepExpectation, "maximumMicroUsd">[],
	runs: readonly Pick<RunView, "index" | "step" | "state">[],
	moves: readonly RunMove[],
): bigint {
	const moved = new Map(moves.map(({ index, to }) => [index, to]));
	return runs.reduce((sum, { index, step, state }) => {
		const now = moved.get(index) ?? state;
		const declared = graph[step];
		if (!declared?.maximumMicroUsd || FINAL_STEP_STATES.some((final) => final === now)) return sum;
		return sum + BigInt(declared.maximumMicroUsd);
	}, 0n);
}
