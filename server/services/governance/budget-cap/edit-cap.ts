import { isMap, isScalar, isSeq, parseDocument, stringify } from "yaml";
import type { BudgetPeriod } from "#server/domain/policy.ts";
import { addEntry } from "#server/domain/policy-entries.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { microToUsdText } from "#server/kernel/money.ts";

/**
 * The policy's text with another cap for one budget. Only the figure itself is replaced: comments, order, quotes and
 * white space stay byte for byte.
 * @throws SpillwayError `not_found` when the text has no such budget with a `capUsd`.
 */
export function editCap(source: string, budgetId: string, capMicroUsd: bigint): string {
	const budgets = parseDocument(source).getIn(["spec", "budgets"], true);
	const items = isSeq(budgets) ? budgets.items.filter(isMap) : [];
	const item = items.find((i) => i.get("id") === budgetId);
	const cap = item?.get("capUsd", true);
	if (!isScalar(cap) || !cap.range) {
		throw new SpillwayError("not_found", `The active policy has no budget "${budgetId}" with a capUsd.`, {
			fix: "Reload the budgets. A new policy version may have been published.",
		});
	}
	const [from, to] = cap.range;
	return `${source.slice(0, from)}${microToUsdText(capMicroUsd)}${source.slice(to)}`;
}

/** Jobs and period of a new budget. */
export interface NewBudget {
	/** CEL over a job; "true" is every job. */
	scope: string;
	period: BudgetPeriod;
}

/**
 * The policy's text with one more budget at the end of the list. What is there stays byte for byte.
 * @throws SpillwayError `precondition_failed` when `spec` is written on one line.
 */
export function addCap(source: string, budgetId: string, capMicroUsd: bigint, { scope, period }: NewBudget): string {
	const quoted = (value: string): string => stringify(value, { lineWidth: 0 }).trimEnd();
	const entry = `id: ${quoted(budgetId)}\nscope: ${quoted(scope)}\nperiod: ${period}\ncapUsd: ${microToUsdText(capMicroUsd)}\natCap: hold`;
	const text = addEntry(source, "budgets", entry);
	if (text !== null) return text;
	throw new SpillwayError("precondition_failed", "The policy's text has no place for another budget.", {
		fix: "Write spec: as a block, each field on its own line, on the Policies screen.",
	});
}
