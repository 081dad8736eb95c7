"use client";
import { useCallback } from "react";
import { type HeatCell, type HeatRow, prepareHeat } from "#components/carbon/prepare-heat.ts";
import type { CarbonView } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { EmptyState } from "#components/page/states.tsx";
import { useTime } from "#components/time/clock.tsx";
import { formatDay } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** How dirty the power of each place is, hour by hour; a table that is coloured, so that it is read by everybody. */
export function GridPanel({ view }: { view: CarbonView }) {
	const { grid } = useCarbon(view).page;
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS, []));
	const { hours, rows, hasHours, hasForecast } = prepareHeat(grid, nowMs);
	const sub = `g CO2e per kWh, ${formatDay(grid.dayStartMs)}, UTC${hasForecast ? "; outlined hours are forecast" : ""}`;
	if (rows.length === 0) {
		return (
			<>
				<PanelHeader title="Grid intensity by place and hour" />
				<EmptyState icon="carbon" title="No place is connected" action={{ label: "See the sites", href: "/sites" }}>
					Each connected site and cloud region stands here with its grid's intensity.
				</EmptyState>
			</>
		);
	}
	return (
		<>
			<PanelHeader
				title="Grid intensity by place and hour"
				sub={sub}
				actions={<span className="text-ink-3 max-md:hidden">places that had work are bold</span>}
			/>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
			<section className="overflow-x-auto px-4 pb-3 max-md:px-3" tabIndex={0} aria-label="Grid intensity by place and hour">
				<table className="w-full border-separate border-spacing-0.5 text-xs">
					<caption className="sr-only">Grid intensity, {sub}</caption>
					<thead>
						<tr className="text-ink-3">
							<th scope="col" className="text-left font-strong">
								<span className="sr-only">Place</span>
							</th>
							{hours.map((hour, i) => (
								<th key={hour} scope="col" className={cn("h-6 text-center font-strong", phoneHidden(i))}>
									{rows[0]?.cells[i]?.now ? <b className="text-ink">now</b> : hour}
								</th>
							))}
							<th scope="col" className="text-right font-strong md:pl-3">
								mean
							</th>
						</tr>
					</thead>
					<tbody>
						{rows.map((row) => (
							<Row key={row.id} row={row} />
						))}
					</tbody>
				</table>
			</section>
			<p className="border-t px-4 py-2.5 text-xs text-pretty text-ink-3">
				{hasHours
					? "Pale cells without a frame are the average of a year: no figure of that hour is on record."
					: "All of these are averages of a year, the same in every hour."}{" "}
				Hourly figures are taken in by <code className="font-mono">spillway carbon import FILE --zone ZONE</code>, and count for what is
				metered once they are known.
			</p>
		</>
	);
}

/** On a phone every third hour is shown. */
const phoneHidden = (hour: number): string => (hour % 3 === 0 ? "" : "max-md:hidden");

function Row({ row }: { row: HeatRow }) {
	return (
		<tr>
			<th scope="row" className="max-w-23 truncate pr-1 md:max-w-52 md:pr-3 text-left font-book md:min-w-44">
				<span className={row.hadWork ? "font-semibold text-ink" : "text-ink-2"}>{row.place}</span>{" "}
				<span className="text-ink-3 max-md:hidden">{row.detail}</span>
				{row.hadWork && <span className="sr-only">, had work</span>}
			</th>
			{row.cells.map((cell, hour) => (
				<td key={cell.id} title={cell.said} className={cn("p-0", phoneHidden(hour))}>
					<Cell cell={cell} />
				</td>
			))}
			<td className="num font-semibold md:pl-3">{row.mean}</td>
		</tr>
	);
}

function Cell({ cell }: { cell: HeatCell }) {
	const percent = cell.strength === null ? 0 : Math.round(6 + cell.strength * (cell.basis === "hour" ? 58 : 30));
	return (
		<span
			style={{ backgroundColor: `color-mix(in oklab, var(--carbon) ${percent}%, var(--panel))` }}
			className={cn(
				"mark-exact tabular grid h-6.5 min-w-5.5 md:min-w-7 place-items-center rounded-xs text-[11px]",
				cell.basis === "average" ? "text-ink-2" : "text-ink",
				cell.basis === "forecast" && "ring-1 ring-carbon ring-inset",
				cell.now && "outline-1 outline-ink-2",
			)}
		>
			{cell.text}
		</span>
	);
}
