import { isMap, isScalar, isSeq, parseDocument } from "yaml";
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
