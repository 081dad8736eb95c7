import type { RunMove, RunView } from "#server/domain/pipeline/advance.ts";
import type { StepExpectation } from "#server/domain/pipeline/step-expectation.ts";
import type { Policy } from "#server/domain/policy.ts";
import { assert } from "#server/kernel/assert.ts";
import { complete } from "#server/kernel/in-parts.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { decide } from "#server/scheduling/decide.ts";
import { budgetNeeds } from "#server/scheduling/pipeline/budget-needs.ts";
import { deadlineOfStep } from "#server/scheduling/pipeline/critical-path.ts";
import { expectationsOf, neededOf, stepNeedsOf } from "#server/scheduling/pipeline/expectations.ts";
import { quoteSpec } from "#server/scheduling/pipeline/quote-spec.ts";
import type { Snapshot } from "#server/scheduling/types.ts";
import type { GraphPlanner } from "../graphs/graph-planner.ts";
import { resultsReadBy } from "../graphs/results.ts";
import type { ReplayPipeline } from "../types.ts";
import type { MoneyHeld } from "./money-held.ts";

/** Places whole graphs as a live submission does: a quote by the same core, one hold, and a share of the slack for each step. */
export class GraphPlans implements GraphPlanner {
	readonly #policy: Policy;
	readonly #money: MoneyHeld;
	readonly #snapshot: () => Snapshot;
	/** Expectations of each step by position, by pipeline. */
	readonly #expected = new Map<string, readonly StepExpectation[]>();

	constructor(given: { policy: Policy; money: MoneyHeld; snapshot: () => Snapshot }) {
		this.#policy = given.policy;
		this.#money = given.money;
		this.#snapshot = given.snapshot;
	}

	submit(pipeline: ReplayPipeline): string | null {
		const { id, spec } = pipeline;
		const snapshot = this.#snapshot();
		const { quote } = complete(
			quoteSpec(spec, snapshot, {
				jobOf: (job, step) => ({ ...job, data: [...job.data, ...resultsReadBy(pipeline, step, () => true)] }),
				seenAs: (job) => job,
				explain: (jobs) => {
					const asked = new Set(jobs.map(({ jobId }) => jobId));
					const { explanations } = decide({ ...snapshot, pending: [...snapshot.pending, ...jobs] }, { asked, brief: true });
					const byId = new Map(explanations.map((explanation) => [explanation.jobId, explanation]));
					return (jobId) => {
						const found = byId.get(jobId);
						assert(found !== undefined, "the decision core explains every job that is quoted");
						return found;
					};
				},
			}),
		);
		const { maximumMicroUsd } = quote;
		const { budgetMicroUsd } = spec;
		if (budgetMicroUsd !== null && maximumMicroUsd > budgetMicroUsd)
			return `it may spend up to $${microToUsdText(maximumMicroUsd)}, more than its budget of $${microToUsdText(budgetMicroUsd)}`;
		const expected = expectationsOf(quote);
		const short = this.#money.reserve(id, budgetNeeds(this.#policy, stepNeedsOf(spec.steps, expected)), snapshot.nowMs);
		if (short) return `it may spend up to $${microToUsdText(maximumMicroUsd)}, and budget ${short} has less left`;
		this.#expected.set(
			id,
			spec.steps.map(({ name }) => expected.get(name) ?? { runMs: 0, restMs: 0 }),
		);
		return null;
	}

	deadlineOf({ id, spec }: ReplayPipeline, step: number, nowMs: number): number | null {
		const { runMs, restMs, spreadMs = 0, restSpreadMs = 0 } = this.#expected.get(id)?.[step] ?? { runMs: 0, restMs: 0 };
		if (spec.deadlineMs === null) return null;
		return deadlineOfStep({ runMs, restMs, spreadMs, restSpreadMs }, spec.deadlineMs, nowMs);
	}

	advanced({ id }: ReplayPipeline, runs: readonly RunView[], moves: readonly RunMove[]): void {
		this.#money.shrink(id, neededOf(this.#expected.get(id) ?? [], runs, moves));
	}
}
