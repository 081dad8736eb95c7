"use client";
import { useCallback } from "react";
import { StackedBarsChart } from "#components/charts/stacked-bars-chart.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { prepareSpendBars } from "#components/spend/prepare-bars.ts";
import { type SpendView, useSpend } from "#components/spend/use-spend.ts";
import { useTime } from "#components/time/clock.tsx";
import { formatDay, formatMonth } from "#components/time/format-time.ts";
import { KeyItem } from "#components/ui/meter.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** Owned and cloud by day; the flat base below, what the cloud added above it. */
export function DaysPanel({ view }: { view: SpendView }) {
	const { page } = useSpend(view);
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS, []));
	if (page.groups.totals.totalMicroUsd === 0n) {
		return (
			<EmptyState icon="spend" title="Nothing was spent in this range" className="py-16">
				Each second of an owned slot and of a cloud machine becomes a charge, and the charges of a day become a bar here.
			</EmptyState>
		);
	}
	return <StackedBarsChart input={prepareSpendBars(page.days, nowMs)} label="Owned and cloud spend by day" height={296} />;
}

/** So far, to come, and by the month's end: whatever range is looked at, this is about the month that runs. */
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
	const rows = [
		{ id: "owned", name: <KeyItem fill="owned">Owned</KeyItem>, soFar: soFar.owned, byThen: byThen?.owned ?? null },
		{ id: "cloud", name: <KeyItem fill="on_demand">Cloud</KeyItem>, soFar: soFar.cloud, byThen: byThen?.cloud ?? null },
		{ id: "all", name: "All", soFar: soFar.all, byThen: byThen?.all ?? null },
	];
	return (
		<div className="flex min-w-0 flex-col">
			<PanelHeader title={`By the end of ${month}`} />
			<Table aria-label={`By the end of ${month}`} stacks={false}>
				<thead>
					<tr>
						<Th>
							<span className="sr-only">What</span>
						</Th>
						<Th n>So far</Th>
						<Th n>To come</Th>
						<Th n>{formatDay(forecast.monthEndMs - 1, false)}</Th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<Tr key={row.id} total={row.id === "all"}>
							<Td>{row.name}</Td>
							<Td n>
								<Money value={row.soFar} />
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
						Likely {formatMoney(total.lowMicroUsd, "whole")} to {formatMoney(total.highMicroUsd, "whole")} in all: the middle 80%, from how
						much each day differed from its weekday's mean over {total.samples} whole days.
					</>
				) : (
					"A forecast needs seven whole days on record; until then only what was posted is shown."
				)}{" "}
				<span className="text-ink-3">Cents are posted; whole dollars with ≈ are estimates.</span>
			</p>
		</div>
	);
}

function Unknown() {
	return <span className="text-ink-3">not yet</span>;
}
