"use client";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { startTransition, useCallback } from "react";
import type { BarsInput, PreviousBars } from "#components/charts/stacked-bars.ts";
import { type BarsControls, StackedBarsChart } from "#components/charts/stacked-bars-chart.tsx";
import { useMarks } from "#components/charts/use-marks.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { CellMoney } from "#components/spend/cells.tsx";
import { clipped, drillHref, narrowed, PART_FILTERS, type SpendPart } from "#components/spend/drill.ts";
import { preparePrevious, prepareSpendBars } from "#components/spend/prepare-bars.ts";
import { datesLabel } from "#components/spend/range.ts";
import { NothingSpent } from "#components/spend/table-panel.tsx";
import { useSpend } from "#components/spend/use-spend.ts";
import { CHART_SERIES, type ChartSeriesId, HIDEABLE, type SpendView, spendHref } from "#components/spend/view.ts";
import { dateOf } from "#components/spend/zone-days.ts";
import { useTime } from "#components/time/clock.tsx";
import { formatClock, formatDay, formatMonth } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { KeyItem } from "#components/ui/meter.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** Filters of each series of the chart. */
const PART_OF: Record<ChartSeriesId, SpendPart> = {
	used: "owned",
	idle: "idle",
	reserved: "reserved",
	spot: "spot",
	on_demand: "on_demand",
};

/** Owned and cloud spend per day, week or month; owned at the bottom, cloud on top. Select a bar to filter the breakdown. */
export function DaysPanel({ view }: { view: SpendView }) {
	const { page } = useSpend(view);
	if (page.groups.totals.totalMicroUsd === 0n) return <NothingSpent view={view} className="py-16" />;
	return <DaysChart view={view} />;
}

function DaysChart({ view }: { view: SpendView }) {
	const { page, input, bucket, dates } = useSpend(view);
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS, []));
	const previous = usePrevious(view);
	const { points } = page.series;
	const toMonthEnd = view.dates === null && view.range === "month";
	const bars = prepareSpendBars(
		{ series: page.series, forecast: page.forecast.days, ledgerStartMs: page.ledgerStartMs },
		{ nowMs, toMonthEnd },
	);
	const controls = useControls(view, points, bars.bars);
	const marks = useMarks(input, (atMs) => {
		const bar = points.findIndex(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
		const point = points[bar];
		return point ? (bar + (atMs - point.fromMs) / (point.toMs - point.fromMs)) / bars.bars.length : null;
	});
	const showsMarks = !view.hide?.includes("events");
	const legend = useLegend(view, bars.series, { previousLabel: previous.label, events: marks.length });
	const todayAt = bars.bars.findIndex((bar) => bar.done < 1);
	const hrefOf = (index: number): string | null => {
		const point = points[index];
		return point && point.totalMicroUsd !== 0n ? drillHref(view, { span: clipped(point, input) }) : null;
	};
	return (
		<StackedBarsChart
			input={{ ...bars, previous: previous.bars }}
			label={`Owned and cloud spend per ${bucket}`}
			height={296}
			bucket={bucket}
			{...(todayAt >= 0 ? { nowText: `${view.zone === "UTC" ? formatClock(nowMs) : "now"}, then forecast`, restIndex: todayAt } : {})}
			chargesOf={hrefOf}
			controls={controls}
			exportName={`spillway-spend-per-${bucket}-${dates.from}-to-${dates.to}`}
			legend={legend}
			marks={showsMarks ? marks : []}
		/>
	);
}

/** The period before, whole, by the same bars. Read only while it is shown. */
function usePrevious(view: SpendView): { label: string | null; bars: PreviousBars | null } {
	const trpc = useTRPC();
	const { page, input } = useSpend(view);
	const fromMs = page.before?.fromMs ?? null;
	const span = fromMs === null ? null : { fromMs, toMs: input.fromMs };
	const { data } = useQuery({
		...trpc.spend.page.queryOptions({ ...input, ...(span ?? {}) }),
		enabled: view.previous === true && span !== null,
	});
	if (!span) return { label: null, bars: null };
	const days = { from: dateOf(span.fromMs, view.zone), to: dateOf(span.toMs - 1, view.zone) };
	const label = `Previous: ${datesLabel(days)}`;
	const shown = view.previous && data;
	const { ledgerStartMs } = page;
	return { label, bars: shown ? preparePrevious(data.series.points, { ledgerStartMs, hide: view.hide ?? [], label }) : null };
}

/** Range, picked bar and their reset, kept in the URL. */
function useControls(view: SpendView, points: readonly { fromMs: number; toMs: number }[], bars: readonly { id: string }[]): BarsControls {
	const router = useRouter();
	const go = (next: SpendView) => startTransition(() => router.push(spendHref(next), { scroll: false }));
	const last = Math.max(0, points.length - 1);
	const picked = view.bar ? bars.findIndex(({ id }) => id === view.bar) : -1;
	return {
		onSelect: (from, to) => {
			const [first, end] = [points[Math.min(from, last)], points[Math.min(to, last)]];
			if (!first || !end) return;
			go({ ...view, dates: { from: dateOf(first.fromMs, view.zone), to: dateOf(end.toMs - 1, view.zone) }, bucket: null, bar: null });
		},
		onReset: view.bar ? () => go({ ...view, bar: null }) : view.dates ? () => go({ ...view, dates: null, bucket: null }) : null,
		onPick: (index) => {
			const bar = index <= last ? bars[index] : undefined;
			if (bar) go({ ...view, bar: bar.id === view.bar ? null : bar.id });
		},
		picked: picked < 0 ? null : picked,
	};
}

function useLegend(view: SpendView, series: BarsInput["series"], overlays: { previousLabel: string | null; events: number }) {
	const { previousLabel, events } = overlays;
	const router = useRouter();
	const go = (next: SpendView) => startTransition(() => router.replace(spendHref(next), { scroll: false }));
	const hide = view.hide ?? [];
	const entries = CHART_SERIES.flatMap((id) => {
		const found = series.find((s) => s.id === id);
		const filters = narrowed(view.filters, PART_FILTERS[PART_OF[id]]);
		return found ? [{ id, label: found.label, fill: found.fill, href: filters && spendHref({ ...view, filters }) }] : [];
	});
	const onToggle = (toggled: string) => go({ ...view, hide: HIDEABLE.filter((id) => hide.includes(id) !== (id === toggled)) });
	return {
		entries,
		hidden: hide,
		onToggle,
		events: events > 0 ? { count: events, on: !hide.includes("events"), onToggle: () => onToggle("events") } : null,
		previous: previousLabel
			? { label: previousLabel, on: view.previous === true, onToggle: () => go({ ...view, previous: !view.previous }) }
			: null,
	};
}

/** Month to date, remaining forecast and month-end total of the current month, whatever range is selected. */
export function MonthEndPanel({ view }: { view: SpendView }) {
	const { forecast } = useSpend(view).page;
	const month = formatMonth(forecast.monthEndMs - 1).split(" ")[0] ?? "";
	const { cloud, total } = forecast;
	const soFar = {
		cloud: forecast.spentCloudMicroUsd,
		all: forecast.spentTotalMicroUsd,
		owned: forecast.spentTotalMicroUsd - forecast.spentCloudMicroUsd,
	};
	const byThen =
		cloud && total
			? { cloud: cloud.expectedMicroUsd, all: total.expectedMicroUsd, owned: total.expectedMicroUsd - cloud.expectedMicroUsd }
			: null;
	const span = { fromMs: forecast.monthStartMs, toMs: forecast.monthEndMs };
	const partOf: Record<string, SpendPart> = { owned: "home", cloud: "cloud", all: "all" };
	const rows = [
		{ id: "owned", name: <KeyItem fill="owned">Owned</KeyItem>, soFar: soFar.owned, byThen: byThen?.owned ?? null },
		{ id: "cloud", name: <KeyItem fill="on_demand">Cloud</KeyItem>, soFar: soFar.cloud, byThen: byThen?.cloud ?? null },
		{ id: "all", name: "Total", soFar: soFar.all, byThen: byThen?.all ?? null },
	];
	return (
		<div className="flex min-w-0 flex-col">
			<PanelHeader title={`Forecast for ${month}`} />
			<Table aria-label={`Forecast for ${month}`}>
				<thead>
					<tr>
						<Th>
							<span className="sr-only">Type</span>
						</Th>
						<Th n>To date</Th>
						<Th n>Remaining</Th>
						<Th n>{formatDay(forecast.monthEndMs - 1, false)}</Th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<Tr key={row.id} total={row.id === "all"}>
							<Td phone="a">{row.name}</Td>
							<Td n phone="c" className="max-md:text-left">
								<CellMoney
									cell={{ microUsd: row.soFar, href: drillHref(view, { part: partOf[row.id] ?? "all", span }) }}
									what={`${month} to date, ${row.id}`}
								/>
								<span className="md:hidden"> to date</span>
							</Td>
							<Td n phone="d">
								{row.byThen === null ? <Unknown /> : <Money value={row.byThen - row.soFar} kind="estimate" />}
								<span className="md:hidden"> remaining</span>
							</Td>
							<Td n phone="b">
								{row.byThen === null ? <Unknown /> : <Money value={row.byThen} kind="estimate" />}
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
			<p className="border-t px-4 py-3 text-pretty text-ink-2">
				{total ? (
					<>
						80% range: {formatMoney(total.lowMicroUsd, "whole")} to {formatMoney(total.highMicroUsd, "whole")}, from {total.samples} full
						days
					</>
				) : (
					"The forecast needs seven full days of data."
				)}
			</p>
		</div>
	);
}

function Unknown() {
	return <span className="text-ink-3">none yet</span>;
}
