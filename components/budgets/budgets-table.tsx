"use client";
import { CapBar } from "#components/budgets/cap-bar.tsx";
import { budgetsCsv } from "#components/budgets/export-csv.ts";
import { budgetsHref } from "#components/budgets/params.ts";
import { type PreparedRow, prepareRows } from "#components/budgets/prepare-rows.ts";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { KeyItem } from "#components/ui/meter.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Budgets of the policy, each indented under its parent. */
export function BudgetsTable({ chosen }: { chosen: string | null }) {
	const trpc = useTRPC();
	const { data: budgets } = useSuspenseQuery(trpc.budget.list.queryOptions());
	if (budgets.length === 0) {
		return (
			<Panel title="Budgets">
				<EmptyState icon="budgets" title="No budgets yet">
					Caps on cloud spend per month, quarter or year.
				</EmptyState>
			</Panel>
		);
	}
	const rows = prepareRows(budgets);
	return (
		<Panel
			title="Budgets"
			sub="a job counts toward every matching budget"
			actions={
				<span className="flex flex-wrap items-center gap-x-3.5 gap-y-1 text-xs">
					<KeyItem fill="on_demand">posted</KeyItem>
					<KeyItem fill="held">held for running machines</KeyItem>
					<span className="inline-flex items-center gap-1.5">
						<span aria-hidden className="h-3 w-0.5 bg-ink" /> forecast range
					</span>
					<CsvButton size="sm" label="Budgets as CSV" fileName="spillway-budgets.csv" text={() => budgetsCsv(rows)} />
				</span>
			}
		>
			<Table aria-label="Budgets">
				<thead>
					<tr>
						<Th>Budget</Th>
						<Th className="w-[24%]">Of the cap</Th>
						<Th n>Posted</Th>
						<Th n>Held</Th>
						<Th n>Free</Th>
						<Th n>Cap</Th>
						<Th n>Forecast</Th>
						<Th n>Against cap</Th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<BudgetLine key={row.budget.id} row={row} chosen={row.budget.id === chosen} />
					))}
				</tbody>
			</Table>
		</Panel>
	);
}

function BudgetLine({ row: { budget: b, name, depth, bar, against, label }, chosen }: { row: PreparedRow; chosen: boolean }) {
	return (
		<Tr selected={chosen} aria-current={chosen ? "true" : undefined}>
			<Td phone="a" className="max-md:min-w-0">
				<span className="block text-pretty max-md:whitespace-normal" style={{ paddingLeft: `${depth * 1.1}rem` }}>
					<Link
						href={budgetsHref({ budget: b.id })}
						scroll={false}
						className={cn("hover:underline", depth < 2 ? "font-semibold" : "font-strong text-ink-2")}
					>
						{b.id}
					</Link>
					<span className="ml-2 text-xs text-ink-3">
						{name}, a {b.period} to {formatDay(b.periodEndMs - 1, false)}
					</span>
				</span>
			</Td>
			<Td phone="e" className="max-md:pt-1!">
				<CapBar bar={bar} label={label} />
			</Td>
			<Td n phone="c" className="max-md:text-left!">
				<Money value={b.postedMicroUsd} fact={`budget/${b.id}/${b.periodKey}/posted`} />
				<span className="text-ink-3 md:hidden">
					{" "}
					+ {formatMoney(b.heldMicroUsd, "posted")} held of {formatMoney(b.capMicroUsd, "whole")}
				</span>
			</Td>
			<Td n>
				{b.heldMicroUsd === 0n ? (
					<span className="text-ink-3">none</span>
				) : (
					<Money value={b.heldMicroUsd} fact={`budget/${b.id}/${b.periodKey}/held`} />
				)}
			</Td>
			<Td n phone="b">
				<Money
					value={b.freeMicroUsd}
					fact={`budget/${b.id}/${b.periodKey}/free`}
					className={cn("font-semibold", b.freeMicroUsd < 0n && "text-risk-ink")}
				/>
			</Td>
			<Td n>
				<Money value={b.capMicroUsd} fact={`budget/${b.id}/${b.periodKey}/cap`} kind="whole" />
			</Td>
			<Td n>{b.forecast ? <Money value={b.forecast.expectedMicroUsd} kind="estimate" /> : <span className="text-ink-3">not yet</span>}</Td>
			<Td n phone="d">
				{against ? (
					<span className={against.over ? "font-semibold text-risk-ink" : "text-ink-3"}>{against.text}</span>
				) : (
					<span className="text-ink-3 max-md:hidden">–</span>
				)}
			</Td>
		</Tr>
	);
}
