import type { Outputs } from "#components/trpc/outputs.ts";
import type { CHARGE_KINDS } from "#server/domain/charge.ts";

export type ChargePage = Outputs["spend"]["charges"];
export type ChargeLine = ChargePage["items"][number];
type Kind = (typeof CHARGE_KINDS)[number];

export const KIND_WORD: Record<Kind, string> = {
	compute: "Compute",
	boot: "Boot",
	staging: "Staging",
	idle: "Idle hardware",
	egress: "Data out",
	storage: "Storage",
	commitment: "Unused commitment",
	adjustment: "Adjustment",
	credit: "Credit",
	tax: "Tax",
};

export const CORRECTION_WORD: Record<NonNullable<ChargeLine["correction"]>, string> = {
	end_learnt_late: "its end was learnt late",
	use_learnt_late: "its use was learnt late",
	price_learnt_late: "its price was learnt late",
	bill_price: "the bill's price",
	bill_time: "the bill's time",
	bill_unknown: "billed, not known",
	rate_card: "another rate card or price of power",
	refund: "refund",
};

/** "Compute", "Compute, corrected: its end was learnt late"; of an adjustment, which is nothing else, "Corrected: the bill's price". */
export function chargeName({ dimensions: { kind }, correction }: Pick<ChargeLine, "dimensions" | "correction">): string {
	if (correction !== null && kind === "adjustment") return `Corrected: ${CORRECTION_WORD[correction]}`;
	return correction === null ? KIND_WORD[kind] : `${KIND_WORD[kind]}, corrected: ${CORRECTION_WORD[correction]}`;
}

const CAUSE_WORD: Record<ChargeLine["cause"]["kind"], string> = {
	instance: "Machine",
	allocation: "Slots at home",
	pool: "Pool",
	bill_line: "Line of a bill",
};

/** What caused it: every charge has exactly one cause, and a page that shows it. */
export function causeOf(charge: Pick<ChargeLine, "cause" | "jobId" | "periodStartMs">): { word: string; id: string; href: string } {
	const { kind, id } = charge.cause;
	const word = CAUSE_WORD[kind];
	if (kind === "bill_line") return { word, id, href: `/statements/${new Date(charge.periodStartMs).toISOString().slice(0, 7)}/bills` };
	if (kind === "instance") return { word, id, href: "/sites#machines" };
	if (kind === "allocation" && charge.jobId !== null) return { word, id, href: `/jobs/${charge.jobId}` };
	return { word, id, href: "/sites" };
}
