import { expressionSteps } from "./expression-cost.ts";
import type { Finding } from "./find-contradictions.ts";
import { EXPRESSION_STEPS } from "./limits.ts";
import type { PlacedBudget } from "./parse-entries.ts";

/** Conditions that could be slow for a large job: every condition is evaluated for each job in every cycle. */
export function findSlow({ reader, rules }: Finding, budgets: readonly PlacedBudget[]): void {
	const conditions = [
		...rules.map(({ rule, whenOffset }) => ({ id: rule.id, text: rule.when, offset: whenOffset })),
		...budgets.map(({ budget, cap, scopeOffset }) => ({ ...scopeOf(budget ?? cap), offset: scopeOffset })),
	];
	let total = 0;
	for (const { id, text, offset } of conditions) {
		const steps = text === null ? 0 : expressionSteps(text);
		const before = total;
		total += steps;
		if (steps > EXPRESSION_STEPS.one) {
			const message = `This condition of ${id} can take ${steps} steps for one job; at most ${EXPRESSION_STEPS.one} are allowed.`;
			reader.report("error", offset, message, "Go through one list at a time, and split the condition into several rules.");
		} else if (total > EXPRESSION_STEPS.all && before <= EXPRESSION_STEPS.all) {
			const message = `All conditions up to ${id} can take ${total} steps for one job; at most ${EXPRESSION_STEPS.all} are allowed.`;
			reader.report("error", offset, message, "Use fewer of exists, all and filter.");
		}
	}
}

const scopeOf = (entry: { id: string; scope: string } | null): { id: string; text: string | null } => ({
	id: entry?.id ?? "",
	text: entry?.scope ?? null,
});
