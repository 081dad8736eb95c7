import { evaluateExpression } from "./expression.ts";
import { JobFacts, QuoteFacts } from "./job-facts.ts";
import type { JudgeQuote } from "./types.ts";

/** The approval that a job itself requires (`spec.approvalAboveUsd`). The id cannot be that of a rule. */
const JOB_LIMIT = { ruleId: "spec.approvalAboveUsd", role: "finance" } as const;

/**
 * The job's own limit, then the first approval rule that applies at the placement's cost. A condition that cannot be
 * evaluated requires approval, and so does every rule about a cost that is not a number.
 */
export const judgeQuote: JudgeQuote = (policy, spec, quote, granted) => {
	const limit = spec.approvalAboveUsd;
	if (limit !== undefined && !(quote.costUsd <= limit) && !granted?.(JOB_LIMIT.ruleId)) return JOB_LIMIT;
	let context: { job: JobFacts; quote: QuoteFacts } | null = null;
	const priced = Number.isFinite(quote.costUsd) && Number.isFinite(quote.hourlyUsd);
	for (const rule of policy.rules) {
		if (rule.effect.kind !== "require" || rule.effect.approval === null || granted?.(rule.id)) continue;
		context ??= { job: new JobFacts(spec), quote: new QuoteFacts(quote) };
		if (!priced || evaluateExpression(rule.when, context).holds !== false) return { ruleId: rule.id, role: rule.effect.approval };
	}
	return null;
};
