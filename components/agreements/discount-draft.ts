import type { Inputs, Outputs } from "#components/trpc/outputs.ts";

export type DiscountLine = Outputs["rates"]["discounts"][number];
export type DiscountInput = Inputs["rates"]["setDiscounts"]["next"]["items"][number];

/** Form state of a discount, as typed. */
export interface DiscountDraft {
	id: string;
	siteId: string;
	capacityType: DiscountInput["capacityType"];
	percent: string;
	/** Comma-separated patterns. */
	instanceFamilies: string;
	regions: string;
	/** UTC days such as `2026-11-30`; `to` is the first day without the discount, "" for no end. */
	from: string;
	to: string;
	source: string;
}

/** The list to submit, without the fields that the server adds. */
export function sentDiscount({ offersNow: _, ...discount }: DiscountLine): DiscountInput {
	return discount;
}

export function discountDraft(line: DiscountLine | null, siteId: string): DiscountDraft {
	if (line === null) {
		return { id: "", siteId, capacityType: "on_demand", percent: "", instanceFamilies: "", regions: "", from: "", to: "", source: "" };
	}
	const { instanceFamilies, regions, from, to, offersNow: _, ...rest } = line;
	const lists = { instanceFamilies: instanceFamilies.join(", "), regions: regions.join(", ") };
	return { ...rest, ...lists, from: dayOf(from), to: to === null ? "" : dayOf(to) };
}

/** Builds the discount to submit; null while incomplete. Keeps the exact time if the day did not change. */
export function readDiscount(draft: DiscountDraft, before: DiscountLine | null): DiscountInput | null {
	const { id, percent, source, from, to } = draft;
	const complete = /^[a-zA-Z0-9_-]{1,64}$/.test(id.trim()) && draft.siteId !== "" && source.trim() !== "" && from !== "";
	if (!complete || !/^\d{1,2}(\.\d{1,4})?$/.test(percent.trim()) || Number(percent) <= 0) return null;
	if (to !== "" && to <= from) return null;
	return {
		...{ id: id.trim(), siteId: draft.siteId, capacityType: draft.capacityType, percent: percent.trim(), source: source.trim() },
		...{ instanceFamilies: listOf(draft.instanceFamilies), regions: listOf(draft.regions) },
		from: instantOf(from, before?.from ?? null),
		to: to === "" ? null : instantOf(to, before?.to ?? null),
	};
}

/** Describes a discount: scope, dates, matching offers and source. Shows years because contracts span them. */
export function describeDiscount({ instanceFamilies, regions, from, to, source, offersNow }: DiscountLine): string {
	const where = [...instanceFamilies, ...regions].join(", ") || "every type and region";
	const days = `from ${dayOf(from)}${to === null ? "" : ` to ${dayOf(to)}`}`;
	return `${where}, ${days}; ${offersNow} matching ${offersNow === 1 ? "offer" : "offers"}. ${source}`;
}

/** UTC day. */
export function dayOf(instant: string): string {
	return new Date(instant).toISOString().slice(0, 10);
}

/** First instant of the UTC day; `before` if it falls on that day. */
export function instantOf(day: string, before: string | null): string {
	return before !== null && dayOf(before) === day ? before : `${day}T00:00:00Z`;
}

function listOf(text: string): string[] {
	return text.split(",").flatMap((part) => part.trim() || []);
}
