"use client";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { CellMoney, Drill } from "#components/spend/cells.tsx";
import { drillHref, type SpendPart } from "#components/spend/drill.ts";
import { type PriceRow, preparePrices } from "#components/spend/prepare-prices.ts";
import { useSpend } from "#components/spend/use-spend.ts";
import type { SpendView } from "#components/spend/view.ts";
import { cn } from "#components/ui/cn.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { FILL_CLASS, KeyItem } from "#components/ui/meter.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import type { LostChoice } from "#server/domain/lost-work.ts";

const MOST_PRICES = 9;

/** Cost per GPU-hour of each model, owned and cloud. */
export function PricesPanel({ view, seesAll }: { view: SpendView; seesAll: boolean }) {
	const { page } = useSpend(view);
	const { rows, breakEven } = preparePrices(page.byAccelerator, seesAll);
	const shown = rows.slice(0, MOST_PRICES);
	const top = shown.reduce((max, r) => Math.max(max, Number(r.asUsedMicroUsd ?? r.microUsd)), 1);
	return (
		<div className="flex min-w-0 flex-col pb-4">
			<PanelHeader title="Price of a GPU-hour" sub="as charged" />
			{shown.length === 0 ? (
				<p className="px-4 text-ink-3">No GPU-hours used in this range.</p>
			) : (
				<ul className="grid gap-1.75 px-4">
					{shown.map((row) => (
						<PriceBar key={row.id} row={row} top={top} view={view} />
					))}
				</ul>
			)}
			{breakEven && (
				<p className="mt-3 px-4 text-pretty text-ink-2">
					Compared with cloud prices, an owned {breakEven.accelerator} is cheaper above <b>{formatPercent(breakEven.share)}</b> utilization.
					Actual utilization: <b>{formatPercent(breakEven.busy)}</b>.
				</p>
			)}
		</div>
	);
}

function PriceBar({ row, top, view }: { row: PriceRow; top: number; view: SpendView }) {
	const href = drillHref(view, { part: row.part, group: { dimension: "accelerator", key: row.accelerator } });
	const always = (Number(row.microUsd) / top) * 100;
	const asUsed = row.asUsedMicroUsd === null ? 0 : Math.max(0, (Number(row.asUsedMicroUsd) / top) * 100 - always);
	return (
		<li className="grid grid-cols-[9.5rem_minmax(0,1fr)] items-center gap-x-2.5 text-xs">
			<span className="truncate font-strong text-ink-2" title={row.label}>
				{row.label}
			</span>
			<span className="flex min-w-0 items-center gap-2">
				<span aria-hidden className="mark-exact flex h-2.5 min-w-1 flex-1">
					<span className={cn("h-full", FILL_CLASS[row.fill])} style={{ width: `${always}%` }} />
					<span className={cn("h-full", FILL_CLASS.idle)} style={{ width: `${asUsed}%` }} />
				</span>
				<span className="num w-27 text-left! font-strong">
					<Drill href={href} what={row.label}>
						<Money value={row.microUsd} kind="price" />
					</Drill>
					{row.asUsedMicroUsd !== null && <span className="font-book text-ink-3">, {formatMoney(row.asUsedMicroUsd, "price")} used</span>}
				</span>
			</span>
		</li>
	);
}

/** Spot savings against on-demand, with the method. */
export function SavingsPanel({ view }: { view: SpendView }) {
	const { saved } = useSpend(view).page;
	const share = saved.onDemandMicroUsd > 0n ? Number(saved.savedMicroUsd) / Number(saved.onDemandMicroUsd) : 0;
	return (
		<div className="flex min-w-0 flex-col pb-4">
			<PanelHeader title="Spot savings" />
			{saved.gpuMs === 0n ? (
				<p className="px-4 text-ink-3">No spot machines in this range.</p>
			) : (
				<Table aria-label="Spot savings" stacks={false}>
					<tbody>
						<Tr>
							<Td>Same hours on demand</Td>
							<Td n>
								<Money value={saved.onDemandMicroUsd} kind="estimate" />
							</Td>
						</Tr>
						<Tr>
							<Td>
								<KeyItem fill="spot">Spot cost</KeyItem>
							</Td>
							<Td n>
								<Drill href={drillHref(view, { part: "spot" })} what="Spot cost">
									<Money value={-saved.paidMicroUsd} />
								</Drill>
							</Td>
						</Tr>
						<Tr total>
							<Td>Saved</Td>
							<Td n>
								<Money value={saved.savedMicroUsd} kind="estimate" /> <span className="font-book text-ink-3">{formatPercent(share)}</span>
							</Td>
						</Tr>
					</tbody>
				</Table>
			)}
			<p className="mt-3 px-4 text-pretty text-ink-3">
				Upper bound: compares with on-demand prices at launch. Spot cost includes work repeated after interruptions.
			</p>
		</div>
	);
}

const CAUSE = {
	failed: "Failed",
	interrupted: "Spot reclaimed",
	evicted: "Machine unfit or expired",
	lost: "Lost",
} as const;

/** Cost of attempts that did not finish their job. */
export function LostPanel({ view }: { view: SpendView }) {
	const { page } = useSpend(view);
	const { lost } = page;
	const all = page.groups.totals.totalMicroUsd;
	const cell = (part: SpendPart, state: LostChoice, microUsd: bigint) => ({ microUsd, href: drillHref(view, { part, lost: state }) });
	const sum = (pick: (i: (typeof lost.items)[number]) => bigint) => lost.items.reduce((total, i) => total + pick(i), 0n);
	return (
		<div className="flex min-w-0 flex-col pb-4">
			<PanelHeader title="Wasted spend" sub="included in the spend above" />
			{lost.items.length === 0 ? (
				<p className="px-4 text-ink-3">No failed or interrupted attempts.</p>
			) : (
				<Table aria-label="Wasted spend" stacks={false}>
					<thead>
						<tr>
							<Th>Outcome</Th>
							<Th n>Attempts</Th>
							<Th n className="max-md:hidden">
								Owned
							</Th>
							<Th n className="max-md:hidden">
								Cloud
							</Th>
							<Th n>Maximum</Th>
						</tr>
					</thead>
					<tbody>
						{lost.items.map((item) => (
							<Tr key={item.state}>
								<Td>{CAUSE[item.state]}</Td>
								<Td n>{formatCount(item.attempts)}</Td>
								<Td n className="max-md:hidden">
									<CellMoney cell={cell("home", item.state, item.ownedMicroUsd)} what={`${CAUSE[item.state]}, owned`} />
								</Td>
								<Td n className="max-md:hidden">
									<CellMoney cell={cell("cloud", item.state, item.cloudMicroUsd)} what={`${CAUSE[item.state]}, cloud`} />
								</Td>
								<Td n>
									<CellMoney cell={cell("all", item.state, item.ownedMicroUsd + item.cloudMicroUsd)} what={CAUSE[item.state]} />
								</Td>
							</Tr>
						))}
						<Tr total>
							<Td>{all > 0n ? `${formatPercent(Number(lost.totalMicroUsd) / Number(all))} of spend` : "Total"}</Td>
							<Td n>{formatCount(lost.items.reduce((n, i) => n + i.attempts, 0))}</Td>
							<Td n className="max-md:hidden">
								<CellMoney
									cell={cell(
										"home",
										"any",
										sum((i) => i.ownedMicroUsd),
									)}
									what="All lost work, owned"
								/>
							</Td>
							<Td n className="max-md:hidden">
								<CellMoney
									cell={cell(
										"cloud",
										"any",
										sum((i) => i.cloudMicroUsd),
									)}
									what="All lost work, cloud"
								/>
							</Td>
							<Td n>
								<CellMoney cell={cell("all", "any", lost.totalMicroUsd)} what="All lost work" />
							</Td>
						</Tr>
					</tbody>
				</Table>
			)}
			<p className="mt-3 px-4 text-pretty text-ink-3">
				Upper bound: full cost of attempts that ended in this range, including checkpointed work.
			</p>
		</div>
	);
}
