import { underBase } from "#components/ui/under-base.ts";
import type { ExportVersion } from "#server/domain/focus-version.ts";
import type { Dates } from "./range.ts";
import { monthStart } from "./zone-days.ts";

const SHOWN_MAX = 13;

/** Months covered by the days, newest first, as `2026-11-01`. */
export function monthsOf({ from, to }: Dates): string[] {
	const months: string[] = [];
	for (let month = monthStart(to); month >= monthStart(from) && months.length < SHOWN_MAX; month = monthStart(month, -1))
		months.push(month);
	return months;
}

/** `asOf`: format of parseLedgerCut(); null for the current state. */
export function focusHref(month: string, asOf: string | null, version?: ExportVersion): string {
	return underBase(`/api/exports/focus?${new URLSearchParams({ month, ...(asOf === null ? {} : { asOf }), ...(version && { version }) })}`);
}
