import { formatMoney } from "#components/money/format-money.ts";
import { readDollars } from "#components/money/read-dollars.ts";
import type { ChargeLine } from "#components/spend/prepare-charges.ts";

/** Only cloud machine charges can be refunded, not corrections or owned hardware. The service checks again. */
export function isRefundable({ cause, dimensions, effectiveMicroUsd, correction }: ChargeLine): boolean {
	return cause.kind === "instance" && dimensions.capacityType !== "owned" && effectiveMicroUsd > 0n && correction === null;
}

export type RefundAmount = { kind: "all" } | { kind: "part"; amountUsd: string } | { kind: "wrong"; message: string };

/** Parses the refund amount; empty means the full remainder. At most the charge. */
export function readRefund(typed: string, effectiveMicroUsd: bigint): RefundAmount {
	if (typed.trim() === "") return { kind: "all" };
	const amount = readDollars(typed);
	if (!amount) return { kind: "wrong", message: "Dollar amount, such as 12.50" };
	if (amount.microUsd === 0n) return { kind: "wrong", message: "More than zero" };
	if (amount.microUsd > effectiveMicroUsd)
		return { kind: "wrong", message: `At most ${formatMoney(effectiveMicroUsd, "posted")}, the charged amount` };
	return { kind: "part", amountUsd: amount.usd };
}
