"use client";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { PlaceSwatch } from "#components/place/place.tsx";
import { prepareSpendTable, type SpendRow } from "#components/spend/prepare-table.ts";
import { BY_LABEL } from "#components/spend/range.ts";
import { type SpendView, useSpend } from "#components/spend/use-spend.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { ShareBar } from "#components/ui/meter.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Where it went, by one dimension. The rows add up to the last one, to the micro-dollar. */
export function SpendTable({ view }: { view: SpendView }) {
	const { page } = useSpend(view);
	const rows = prepareSpendTable(page.groups, view.by);
	if (rows.length === 1) {
		return (
			<EmptyState icon="spend" title="Nothing was spent in this range">
				Choose a longer range above, or submit a job: what it costs appears here within a minute.
			</EmptyState>
		);
	}
	return (
		<Table aria-label={`Where it went, by ${BY_LABEL[view.by].toLowerCase()}`}>
			<thead>
				<tr>
					<Th>{BY_LABEL[view.by]}</Th>
					<Th className="w-[22%]">
						<span className="sr-only">Parts</span>
					</Th>
					<Th n>Owned</Th>
					<Th n>Cloud</Th>
					<Th n>Total</Th>
					<Th n>Share</Th>
					<Th n>GPU-hours</Th>
					<Th n>Per GPU-hour</Th>
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<Row key={row.id} row={row} />
				))}
			</tbody>
		</Table>
	);
}

function Row({ row }: { row: SpendRow }) {
	return (
		<Tr total={row.kind === "total"}>
			<Td phone="a" className="max-w-70 truncate font-strong">
				<span className="inline-flex items-center gap-2">
					{row.capacity && <PlaceSwatch capacity={row.capacity} />}
					{row.label}
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
			<Td phone="c" className="md:hidden">
				<Amount value={row.ownedMicroUsd} /> owned, <Amount value={row.cloudMicroUsd} /> cloud
			</Td>
			<Td n>
				<Amount value={row.ownedMicroUsd} />
			</Td>
			<Td n>
				<Amount value={row.cloudMicroUsd} />
			</Td>
			<Td n phone="b" className="font-semibold">
				<Money value={row.totalMicroUsd} />
			</Td>
			<Td n className="text-ink-3">
				{formatPercent(row.share)}
			</Td>
			<Td n phone="d">
				{hours(row.gpuMs)}
				<span className="md:hidden"> GPU-h</span>
			</Td>
			<Td n>
				{row.microUsdPerGpuHour === null ? (
					<span className="text-ink-3">unused</span>
				) : (
					<Money value={row.microUsdPerGpuHour} kind="price" />
				)}
			</Td>
		</Tr>
	);
}

/** Tenths below ten, so that a short job does not read as none. */
export function hours(gpuMs: bigint): string {
	const value = Number(gpuMs) / HOUR_MS;
	return value > 0 && value < 10 ? (value < 0.05 ? "under 0.1" : value.toFixed(1)) : formatCount(value);
}

function Amount({ value }: { value: bigint }) {
	return value === 0n ? <span className="text-ink-3">none</span> : <Money value={value} />;
}
