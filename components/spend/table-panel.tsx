"use client";
import { Fragment } from "react";
import { Money } from "#components/money/money.tsx";
import { EmptyState, NoResults } from "#components/page/states.tsx";
import { PlaceSwatch } from "#components/place/place.tsx";
import { CellMoney, Change } from "#components/spend/cells.tsx";
import { prepareSpendTable, type SpendRow } from "#components/spend/prepare-table.ts";
import { useSpend } from "#components/spend/use-spend.ts";
import { BY_LABEL, isFiltered, type SpendView, spendHref } from "#components/spend/view.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { ShareBar } from "#components/ui/meter.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Breakdown by dimension or time. Rows add up to the total exactly. */
export function SpendTable({ view }: { view: SpendView }) {
	const { page, input, bucket } = useSpend(view);
	const rows = prepareSpendTable(page, { view, bucket, range: input });
	if (rows.length === 1) return <NothingSpent view={view} />;
	const by = BY_LABEL[view.by];
	const compares = rows.some((row) => row.change !== null);
	return (
		<Table aria-label={`Breakdown by ${by.toLowerCase()}`}>
			<thead>
				<tr>
					<Th>{view.by === "time" ? { day: "Day", week: "Week", month: "Month" }[bucket] : by}</Th>
					<Th className="w-[18%]">
						<span className="sr-only">Parts</span>
					</Th>
					<Th n>Owned, used</Th>
					<Th n>Owned, idle</Th>
					<Th n>Cloud</Th>
					<Th n>Total</Th>
					<Th n>Share</Th>
					<Th n>GPU-hours used</Th>
					<Th n>Per GPU-hour</Th>
					{compares && <Th n>vs previous</Th>}
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<Row key={row.id} row={row} compares={compares} />
				))}
			</tbody>
		</Table>
	);
}

/** No data, or nothing matches the filters. */
export function NothingSpent({ view, className }: { view: SpendView; className?: string }) {
	if (isFiltered(view)) return <NoResults what="charges" clearHref={spendHref({ ...view, filters: {} })} />;
	return (
		<EmptyState icon="spend" title="No spend in this range" {...(className ? { className } : {})}>
			Choose a longer range or submit a job. Costs appear within a minute.
		</EmptyState>
	);
}

function Row({ row, compares }: { row: SpendRow; compares: boolean }) {
	return (
		<Tr total={row.kind === "total"}>
			<Td phone="a" className="max-w-70 truncate font-strong">
				<span className="inline-flex items-center gap-2">
					{row.capacity && <PlaceSwatch capacity={row.capacity} />}
					{row.withinHref ? (
						<Link
							href={row.withinHref}
							scroll={false}
							title={`Break down ${row.label}`}
							className="underline-offset-4 hover:underline max-md:inline-flex max-md:min-h-6 max-md:min-w-6 max-md:items-center"
						>
							{row.label}
						</Link>
					) : (
						row.label
					)}
				</span>
			</Td>
			<Td phone="e" className={row.kind === "total" ? "max-md:hidden" : "max-md:pt-1!"}>
				{row.parts.length > 0 && (
					<ShareBar
						parts={row.parts}
						width={row.width}
						label={`${row.label}: ${row.parts.map((p) => p.label).join(", ")}`}
						className="max-md:h-2"
					/>
				)}
			</Td>
			<Td phone="c" className="max-md:whitespace-normal md:hidden">
				<PhoneParts row={row} />
			</Td>
			<Td n>
				<CellMoney cell={row.owned} what={`${row.label}, owned and used`} />
			</Td>
			<Td n>
				<CellMoney cell={row.idle} what={`${row.label}, owned and idle`} />
			</Td>
			<Td n>
				<CellMoney cell={row.cloud} what={`${row.label}, cloud`} />
			</Td>
			<Td n phone="b" className="font-semibold">
				<CellMoney cell={row.total} what={row.label} />
			</Td>
			<Td n className="text-ink-3">
				{formatPercent(row.share)}
			</Td>
			<Td n phone="d">
				{hours(row.gpuMs)}
				<span className="md:hidden"> GPU-h</span>
			</Td>
			<Td n>
				{row.microUsdPerGpuHour === null ? <span className="text-ink-3">idle</span> : <Money value={row.microUsdPerGpuHour} kind="price" />}
			</Td>
			{compares && (
				<Td n>
					<Change value={row.change} />
				</Td>
			)}
		</Tr>
	);
}

/** Nonzero parts as text. */
function PhoneParts({ row }: { row: SpendRow }) {
	const parts = (["owned", "idle", "cloud"] as const).filter((part) => row[part].microUsd !== 0n);
	return parts.map((part, i) => (
		// The comma is outside so that lines can break after it.
		<Fragment key={part}>
			{i > 0 && ", "}
			<span className="whitespace-nowrap">
				<CellMoney cell={row[part]} what={`${row.label}, ${part}`} /> {part === "owned" ? "used" : part}
			</span>
		</Fragment>
	));
}

/** One decimal below ten so that a short job does not round to zero. */
export function hours(gpuMs: bigint): string {
	const value = Number(gpuMs) / HOUR_MS;
	return value > 0 && value < 10 ? (value < 0.05 ? "under 0.1" : value.toFixed(1)) : formatCount(value);
}
