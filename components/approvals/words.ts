import { formatMoney } from "#components/money/format-money.ts";
import { formatSpan } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import type { Tone } from "#components/ui/chip.tsx";
import { outlookSentence } from "#server/domain/outlook-sentence.ts";
import type { ApprovalItem } from "./params.ts";

/** Approval state as shown on chips. */
export const APPROVAL_STATES: Record<ApprovalItem["state"], { label: string; tone: Tone }> = {
	open: { label: "pending", tone: "warn" },
	granted: { label: "approved", tone: "ok" },
	refused: { label: "rejected", tone: "risk" },
	expired: { label: "expired", tone: "neutral" },
	withdrawn: { label: "withdrawn", tone: "neutral" },
};

type Outlook = Outputs["approval"]["outlook"];

/** "Approver: Ada or Bo (platform engineer). Median response: 40 min (12 decisions)." */
export function outlookWords(outlook: Outlook): string {
	return outlookSentence(outlook, { duration: formatSpan });
}

/** The decision, such as "Approved up to $120". */
export function answerWords({ state, upToMicroUsd, quote }: Pick<ApprovalItem, "state" | "upToMicroUsd" | "quote">): string {
	switch (state) {
		case "granted":
			return upToMicroUsd === null || upToMicroUsd === quote.costMicroUsd
				? "Approved"
				: `Approved up to ${formatMoney(upToMicroUsd, "posted")}`;
		case "refused":
			return "Rejected";
		case "expired":
			return "Expired without a decision";
		case "withdrawn":
			return "Withdrawn";
		case "open":
			return "Pending";
	}
}

/** Exact dollars for an input field: "120", "99.5", "0.004312". */
export function dollarsOf(microUsd: string): string {
	const micro = BigInt(microUsd);
	const cents = (micro % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
	return `${micro / 1_000_000n}${cents === "" ? "" : `.${cents}`}`;
}
