import type { Outputs } from "#components/trpc/outputs.ts";
import type { CHARGE_KINDS } from "#server/domain/charge.ts";
import { isCopyId } from "#server/domain/charge.ts";

export type ChargePage = Outputs["spend"]["charges"];
export type ChargeLine = ChargePage["items"][number];
type Kind = (typeof CHARGE_KINDS)[number];

export const KIND_WORD: Record<Kind, string> = {
	compute: "Compute",
	boot: "Boot",
	staging: "Staging",
	idle: "Idle hardware",
	egress: "Egress",
	storage: "Storage",
	commitment: "Unused commitment",
	adjustment: "Adjustment",
	credit: "Credit",
	tax: "Tax",
	kept_warm: "Kept warm",
};

export const CORRECTION_WORD: Record<NonNullable<ChargeLine["correction"]>, string> = {
	end_learnt_late: "late end time",
	use_learnt_late: "late usage data",
	price_learnt_late: "late price",
	bill_price: "billed price",
	bill_time: "billed duration",
	bill_unknown: "billed, not in ledger",
	rate_card: "rate card or electricity price changed",
	refund: "refund",
};

/** "Compute", "Compute, corrected: late end time"; an adjustment is only "Corrected: billed price". */
export function chargeName({ dimensions: { kind }, correction }: Pick<ChargeLine, "dimensions" | "correction">): string {
	if (correction !== null && kind === "adjustment") return `Corrected: ${CORRECTION_WORD[correction]}`;
	return correction === null ? KIND_WORD[kind] : `${KIND_WORD[kind]}, corrected: ${CORRECTION_WORD[correction]}`;
}

const CAUSE_WORD: Record<ChargeLine["cause"]["kind"], string> = {
	instance: "Machine",
	allocation: "Owned slots",
	pool: "Pool",
	bill_line: "Bill line",
	artifact: "Result",
};

/** The cause of a charge, with its page. Every charge has exactly one cause. */
export function causeOf(charge: Pick<ChargeLine, "cause" | "jobId" | "periodStartMs">): { word: string; id: string; href: string } {
	const { kind, id } = charge.cause;
	const word = CAUSE_WORD[kind];
	if (kind === "bill_line") return { word, id, href: `/statements/${new Date(charge.periodStartMs).toISOString().slice(0, 7)}/bills` };
	if (kind === "instance") return { word, id, href: "/sites#machines" };
	if (kind === "artifact" && isCopyId(id)) return { word: "Data copy", id, href: "/settings/data" };
	if (kind === "artifact" && charge.jobId !== null) return { word, id, href: `/jobs/${charge.jobId}/files` };
	if (kind === "allocation" && charge.jobId !== null) return { word, id, href: `/jobs/${charge.jobId}` };
	return { word, id, href: "/sites" };
}
