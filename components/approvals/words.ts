import { formatMoney } from "#components/money/format-money.ts";
import { formatSpan } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import type { Tone } from "#components/ui/chip.tsx";
import { outlookSentence } from "#server/domain/outlook-sentence.ts";
import type { ApprovalItem } from "./params.ts";

/** A state as a chip says it. */
export const APPROVAL_STATES: Record<ApprovalItem["state"], { label: string; tone: Tone }> = {
	open: { label: "waits", tone: "warn" },
	granted: { label: "yes", tone: "ok" },
	refused: { label: "no", tone: "risk" },
	expired: { label: "expired", tone: "neutral" },
	withdrawn: { label: "withdrawn", tone: "neutral" },
};

type Outlook = Outputs["approval"]["outlook"];

/** "Ada or Bo (platform engineer) can say yes; half of 12 answers came within 40 min." */
export function outlookWords(outlook: Outlook): string {
	return outlookSentence(outlook, { duration: formatSpan });
}

/** What was answered, e.g. "Yes, up to $120", with what stands behind a withdrawal. */
export function answerWords({ state, upToMicroUsd, quote }: Pick<ApprovalItem, "state" | "upToMicroUsd" | "quote">): string {
	switch (state) {
		case "granted":
			return upToMicroUsd === null || upToMicroUsd === quote.costMicroUsd ? "Yes" : `Yes, up to ${formatMoney(upToMicroUsd, "posted")}`;
		case "refused":
			return "No";
		case "expired":
			return "Nobody answered in time";
		case "withdrawn":
			return "Withdrawn";
		case "open":
			return "Not answered yet";
	}
}

/** Dollars as a field takes them, exact: "120", "99.5", "0.004312". */
export function dollarsOf(microUsd: string): string {
	const micro = BigInt(microUsd);
	const cents = (micro % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
	return `${micro / 1_000_000n}${cents === "" ? "" : `.${cents}`}`;
}
