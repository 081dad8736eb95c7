import { createHash } from "node:crypto";
import type { z } from "zod";
import type { planDecisionSchema } from "#server/contract/outputs/plan.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { PlanOption } from "#server/plan/compare/types.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { getStudy } from "#server/services/decision/plan/get.ts";
import { monthsSince } from "./months.ts";

export type PlanDecisionView = z.infer<typeof planDecisionSchema>;

/**
 * Returns the decision for a finished study. Its figures are frozen with the study; `outcome` covers the time since then.
 * @throws SpillwayError `forbidden`, `not_found`; `precondition_failed` while the study has no result.
 */
export async function getPlanDecision(ctx: ServiceContext, id: string): Promise<PlanDecisionView> {
	const { result, ...study } = await getStudy(ctx, id);
	if (!result)
		throw new SpillwayError("precondition_failed", `The plan study ${id.slice(0, 64)} has no result: it is ${study.state}.`, {
			fix: "Wait until it is done, or start another one.",
		});
	const { comparison } = result;
	const { decision, options, reference, recommended, assumptions } = comparison;
	const expected = options.find((option) => option.id === recommended) ?? options.find((option) => option.id === reference);
	return {
		study,
		sha256: createHash("sha256").update(canonical(result)).digest("hex"),
		...{ verdict: decision.verdict, headline: decision.headline, summary: decision.summary, tests: decision.tests },
		pilot: decision.verdict === "no_go" ? null : decision.pilot,
		recommended,
		options: options.map((option) => ({
			...{ id: option.id, label: option.label, ownedGpus: option.ownedGpus, ...figuresOf(option) },
			...{ totalUsd: option.perMonth.totalUsd, npvUsd: option.finance.npvUsd },
		})),
		assumptions,
		outcome:
			study.source === "records" && expected
				? { expected: { label: expected.label, ...figuresOf(expected) }, months: await monthsSince(ctx, Date.parse(study.createdAt)) }
				: null,
	};
}

function figuresOf({ meanTimeToModelS, meanWaitS, perMonth }: PlanOption) {
	return { meanTimeToModelS, meanWaitS, cloudUsd: perMonth.cloudUsd };
}

/** JSON with sorted keys, because the database does not preserve key order. */
function canonical(value: unknown): string {
	return JSON.stringify(value, (_, part: unknown) =>
		part !== null && typeof part === "object" && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}
