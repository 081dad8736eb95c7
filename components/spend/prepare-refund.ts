import { formatMoney } from "#components/money/format-money.ts";
import { readDollars } from "#components/money/read-dollars.ts";
import type { ChargeLine } from "#components/spend/prepare-charges.ts";

/** What machines of clouds cost can be taken back; corrections and owned hardware cannot. The service asks again. */
export function isRefundable({ cause, dimensions, effectiveMicroUsd, correction }: ChargeLine): boolean {
	return cause.kind === "instance" && dimensions.capacityType !== "owned" && effectiveMicroUsd > 0n && correction === null;
}

export type RefundAmount = { kind: "all" } | { kind: "part"; amountUsd: string } | { kind: "wrong"; message: string };

/** What was typed as the amount: nothing is all that is left. Never more than the charge. */
export function readRefund(typed: string, effectiveMicroUsd: bigint): RefundAmount {
	if (typed.trim() === "") return { kind: "all" };
	const amount = readDollars(typed);
	if (!amount) return { kind: "wrong", message: "An amount of dollars such as 12.50" };
	if (amount.microUsd === 0n) return { kind: "wrong", message: "More than nothing" };
	if (amount.microUsd > effectiveMicroUsd)
		return { kind: "wrong", message: `At most ${formatMoney(effectiveMicroUsd, "posted")}, what was charged` };
	return { kind: "part", amountUsd: amount.usd };
}
