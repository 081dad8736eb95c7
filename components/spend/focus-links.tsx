import { formatMonth } from "#components/time/format-time.ts";
import type { Dates } from "./range.ts";
import { monthStart, shownMs } from "./zone-days.ts";

const SHOWN_MAX = 13;

/** Months covered by the days, newest first, as `2026-11-01`. */
export function monthsOf({ from, to }: Dates): string[] {
	const months: string[] = [];
	for (let month = monthStart(to); month >= monthStart(from) && months.length < SHOWN_MAX; month = monthStart(month, -1))
		months.push(month);
	return months;
}

/** `asOf`: format of parseLedgerCut(); null for the current state. */
export function focusHref(month: string, asOf: string | null): string {
	return `/api/exports/focus?${new URLSearchParams({ month, ...(asOf === null ? {} : { asOf }) })}`;
}

/** Whole-month FOCUS 1.2 exports. */
export function FocusLinks({ dates, asOf = null }: { dates: Dates; asOf?: string | null }) {
	return (
		<span className="flex flex-wrap gap-x-3 gap-y-1">
			FOCUS 1.2 export, whole months:
			{monthsOf(dates).map((month) => (
				<a key={month} href={focusHref(month.slice(0, 7), asOf)} download className="font-strong text-accent hover:underline">
					{formatMonth(shownMs(month))}
				</a>
			))}
		</span>
	);
}
