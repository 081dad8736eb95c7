"use client";
import { useCallback } from "react";
import { StackedBarsChart } from "#components/charts/stacked-bars-chart.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { CellMoney } from "#components/spend/cells.tsx";
import { clipped, drillHref, type SpendPart } from "#components/spend/drill.ts";
import { prepareSpendBars } from "#components/spend/prepare-bars.ts";
import { NothingSpent } from "#components/spend/table-panel.tsx";
import { useSpend } from "#components/spend/use-spend.ts";
import type { SpendView } from "#components/spend/view.ts";
import { useTime } from "#components/time/clock.tsx";
import { formatClock, formatDay, formatMonth } from "#components/time/format-time.ts";
import { KeyItem } from "#components/ui/meter.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** Owned and cloud spend per day, week or month; owned at the bottom, cloud on top. Select a bar to see its charges. */
export function DaysPanel({ view }: { view: SpendView }) {
	const { page, input, bucket } = useSpend(view);
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS, []));
	if (page.groups.totals.totalMicroUsd === 0n) return <NothingSpent view={view} className="py-16" />;
	const { points } = page.series;
	const toMonthEnd = view.dates === null && view.range === "month";
	const bars = prepareSpendBars(
		{ series: page.series, forecast: page.forecast.days, ledgerStartMs: page.ledgerStartMs },
		{ nowMs, toMonthEnd },
	);
	const todayAt = bars.bars.findIndex((bar) => bar.done < 1);
	const hrefOf = (index: number): string | null => {
		const point = points[index];
		return point && point.totalMicroUsd !== 0n ? drillHref(view, { span: clipped(point, input) }) : null;
	};
	return (
		<StackedBarsChart
			input={bars}
			label={`Owned and cloud spend per ${bucket}`}
			height={296}
			bucket={bucket}
			{...(todayAt >= 0 ? { nowText: `${view.zone === "UTC" ? formatClock(nowMs) : "now"}, then forecast`, restIndex: todayAt } : {})}
			chargesOf={hrefOf}
		/>
	);
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
			<Table aria-label={`Forecast for ${month}`} stacks={false}>
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
							<Td>{row.name}</Td>
							<Td n>
								<CellMoney
									cell={{ microUsd: row.soFar, href: drillHref(view, { part: partOf[row.id] ?? "all", span }) }}
									what={`${month} to date, ${row.id}`}
								/>
							</Td>
							<Td n>{row.byThen === null ? <Unknown /> : <Money value={row.byThen - row.soFar} kind="estimate" />}</Td>
							<Td n>{row.byThen === null ? <Unknown /> : <Money value={row.byThen} kind="estimate" />}</Td>
						</Tr>
					))}
				</tbody>
			</Table>
			<p className="border-t px-4 py-3 text-pretty text-ink-2">
				{total ? (
					<>
						Range {formatMoney(total.lowMicroUsd, "whole")} to {formatMoney(total.highMicroUsd, "whole")}: 80% range, from weekday
						deviations over {total.samples} full days.
					</>
				) : (
					"The forecast needs seven full days of data."
				)}{" "}
				<span className="text-ink-3">≈ marks estimates.</span>
			</p>
		</div>
	);
}

function Unknown() {
	return <span className="text-ink-3">none yet</span>;
}
