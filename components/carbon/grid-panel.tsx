"use client";
import { useCallback } from "react";
import { type HeatRow, prepareHeat } from "#components/carbon/prepare-heat.ts";
import type { CarbonView } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { type HourHeatRow, HourHeatTable } from "#components/charts/hour-heat-table.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useTime } from "#components/time/clock.tsx";
import { formatDay } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

const TITLE = "Grid intensity by location and hour";

/** Hourly grid intensity per location. */
export function GridPanel({ view }: { view: CarbonView }) {
	const { grid } = useCarbon(view).page;
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS, []));
	const { hours, rows, hasHours, hasForecast } = prepareHeat(grid, nowMs);
	const sub = `g CO2e per kWh, ${formatDay(grid.dayStartMs)}, UTC${hasForecast ? "; outlined hours are forecast" : ""}`;
	if (rows.length === 0) {
		return (
			<>
				<PanelHeader title={TITLE} />
				<EmptyState icon="carbon" title="No sites connected" action={{ label: "Open Sites", href: "/sites" }}>
					Connect a site to see its grid intensity.
				</EmptyState>
			</>
		);
	}
	return (
		<>
			<PanelHeader title={TITLE} sub={sub} actions={<span className="text-ink-3 max-md:hidden">bold: had jobs</span>} />
			<HourHeatTable
				title={TITLE}
				caption={`Grid intensity, ${sub}`}
				rowLabel="Location"
				color="var(--carbon)"
				hours={hours}
				rows={rows.map(heatRowOf)}
				onPhone={(hour) => hour % 3 === 0}
			/>
			<p className="border-t px-4 py-2.5 text-xs text-pretty text-ink-3">
				{hasHours ? "Pale cells without an outline are yearly averages." : "Yearly averages, the same for every hour."} Import hourly data
				with <code className="font-mono">spillway carbon import FILE --zone ZONE</code>; later usage is metered with it.
			</p>
		</>
	);
}

function heatRowOf({ id, place, detail, hadWork, cells, mean }: HeatRow): HourHeatRow {
	return {
		id,
		head: {
			name: (
				<>
					<span className={hadWork ? "font-semibold text-ink" : "text-ink-2"}>{place}</span>{" "}
					<span className="text-ink-3 max-md:hidden">{detail}</span>
					{hadWork && <span className="sr-only">, had jobs</span>}
				</>
			),
			className: "max-w-23",
		},
		cells: cells.map(({ basis, strength, ...cell }) => ({
			...cell,
			percent: strength === null ? 0 : Math.round(6 + strength * (basis === "hour" ? 58 : 30)),
			className: cn(basis === "average" ? "text-ink-2" : "text-ink", basis === "forecast" && "ring-1 ring-carbon ring-inset"),
		})),
		mean,
	};
}
