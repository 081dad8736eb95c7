"use client";
import { useState } from "react";
import { formatMonth } from "#components/time/format-time.ts";
import { Select } from "#components/ui/input.tsx";
import { FOCUS_VERSIONS } from "#server/domain/focus-version.ts";
import { focusHref, monthsOf } from "./focus-href.ts";
import type { Dates } from "./range.ts";
import { shownMs } from "./zone-days.ts";

/** Whole-month FOCUS exports in a chosen version. */
export function FocusLinks({ dates, asOf = null }: { dates: Dates; asOf?: string | null }) {
	const [version, setVersion] = useState<(typeof FOCUS_VERSIONS)[number]>(FOCUS_VERSIONS[0]);
	return (
		<span className="flex flex-wrap items-center gap-x-3 gap-y-1">
			<span>FOCUS</span>
			<Select
				aria-label="FOCUS version"
				className="w-20"
				value={version}
				onChange={(event) => setVersion(FOCUS_VERSIONS.find((known) => known === event.target.value) ?? FOCUS_VERSIONS[0])}
			>
				{FOCUS_VERSIONS.map((known) => (
					<option key={known} value={known}>
						{known}
					</option>
				))}
			</Select>
			<span>export, whole months:</span>
			{monthsOf(dates).map((month) => (
				<a key={month} href={focusHref(month.slice(0, 7), asOf, version)} download className="font-strong text-accent hover:underline">
					{formatMonth(shownMs(month))}
				</a>
			))}
		</span>
	);
}
