import type { Inputs, Outputs } from "#components/trpc/outputs.ts";

export type DiscountLine = Outputs["rates"]["discounts"][number];
export type DiscountInput = Inputs["rates"]["setDiscounts"]["next"]["items"][number];

/** What stands in the fields of a discount's form, as it was typed. */
export interface DiscountDraft {
	id: string;
	siteId: string;
	capacityType: DiscountInput["capacityType"];
	percent: string;
	/** Patterns with commas between them. */
	instanceFamilies: string;
	regions: string;
	/** Days in UTC, `2026-11-30`; `to` is the first day on which it counts no more, "" for none. */
	from: string;
	to: string;
	source: string;
}

/** As the list is sent back: without what the answer adds to it. */
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

/** The discount as it is sent, or null while something is missing. An instant whose day was not changed stays to the second. */
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

/** Where and when it counts, in how many offers, and where it is written. Days with their years: contracts span them. */
export function describeDiscount({ instanceFamilies, regions, from, to, source, offersNow }: DiscountLine): string {
	const where = [...instanceFamilies, ...regions].join(", ") || "every type and region";
	const days = `from ${dayOf(from)}${to === null ? "" : ` until ${dayOf(to)}`}`;
	return `${where}, ${days}; in ${offersNow} ${offersNow === 1 ? "offer" : "offers"} now. ${source}`;
}

/** The day in UTC. */
export function dayOf(instant: string): string {
	return new Date(instant).toISOString().slice(0, 10);
}

/** The day's first instant in UTC; `before` where it lies on that day. */
export function instantOf(day: string, before: string | null): string {
	return before !== null && dayOf(before) === day ? before : `${day}T00:00:00Z`;
}

function listOf(text: string): string[] {
	return text.split(",").flatMap((part) => part.trim() || []);
}
