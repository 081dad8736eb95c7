import type { ChargeCorrection } from "#server/domain/charge.ts";
import type { LostChoice } from "#server/domain/lost-work.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { type ChargesPart, chargesHref, DIMENSIONS, type SpendFilters, type SpendView } from "./view.ts";
import { dateOf } from "./zone-days.ts";

/** Partition of any sum as filters: complete and without overlap. */
export const PART_FILTERS = {
	owned: { capacityType: ["owned"], class: [...WORKLOAD_CLASSES] },
	idle: { capacityType: ["owned"], class: [""] },
	reserved: { capacityType: ["reserved"] },
	spot: { capacityType: ["spot"] },
	on_demand: { capacityType: ["on_demand"] },
	home: { capacityType: ["owned"] },
	cloud: { capacityType: ["reserved", "on_demand", "spot"] },
	all: {},
} as const satisfies Record<string, { capacityType?: readonly string[]; class?: readonly string[] }>;
export type SpendPart = keyof typeof PART_FILTERS;

/** Intersection of both filters; null if empty. */
export function narrowed(filters: SpendFilters, more: { readonly [name: string]: readonly string[] | undefined }): SpendFilters | null {
	const both: Record<string, readonly string[]> = {};
	for (const dimension of DIMENSIONS) {
		const [have, want]: (readonly string[] | undefined)[] = [filters[dimension], more[dimension]];
		const values = have?.length && want ? have.filter((v) => want.includes(v)) : (want ?? have);
		if (values === undefined || (values.length === 0 && !want)) continue;
		if (values.length === 0) return null;
		both[dimension] = values;
	}
	return both as SpendFilters;
}

export interface Drill {
	part?: SpendPart;
	/** The selected group. */
	group?: { dimension: (typeof DIMENSIONS)[number]; key: string };
	/** The selected time within the range. */
	span?: { fromMs: number; toMs: number };
	job?: string;
	cause?: string;
	correction?: ChargeCorrection[];
	lost?: LostChoice;
	withoutIdle?: boolean;
	asOf?: string;
	since?: string;
	bills?: string;
	of?: ChargesPart["of"];
}

/** Link to the charges behind a number; null if there can be none. */
export function drillHref(view: SpendView, drill: Drill): string | null {
	const { part = "all", group, span, ...of } = drill;
	const ofGroup = group ? narrowed(view.filters, { [group.dimension]: [group.key] }) : view.filters;
	const filters = ofGroup && narrowed(ofGroup, PART_FILTERS[part]);
	if (filters === null) return null;
	const dates = span ? { from: dateOf(span.fromMs, view.zone), to: dateOf(span.toMs - 1, view.zone) } : view.dates;
	return chargesHref({ ...view, by: "team", bucket: null, dates, filters, ...of });
}

/** The part of a bucket inside the range. */
export const clipped = (bucket: { fromMs: number; toMs: number }, range: { fromMs: number; toMs: number }) => ({
	fromMs: Math.max(bucket.fromMs, range.fromMs),
	toMs: Math.min(bucket.toMs, range.toMs),
});
