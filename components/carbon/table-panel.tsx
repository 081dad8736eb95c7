"use client";
import { Carbon } from "#components/carbon/carbon.tsx";
import { type CarbonRow, prepareCarbonTable } from "#components/carbon/prepare-table.ts";
import { BY_LABEL, type CarbonView } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { EmptyState } from "#components/page/states.tsx";
import { hours } from "#components/spend/table-panel.tsx";
import { formatPercent } from "#components/ui/format-number.ts";
import { ShareBar } from "#components/ui/meter.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Where it came from, by one dimension. The rows add up to the last one, to the milligram. */
export function CarbonTable({ view }: { view: CarbonView }) {
	const { page } = useCarbon(view);
	const rows = prepareCarbonTable(page.groups, view.by);
	if (rows.length === 1) {
		return (
			<EmptyState icon="carbon" title="Nothing was metered in this range">
				Choose a longer range above, or submit a job: what it emits appears here within a minute.
			</EmptyState>
		);
	}
	return (
		<>
			<Table aria-label={`Where it came from, by ${BY_LABEL[view.by].toLowerCase()}`}>
				<thead>
					<tr>
						<Th>{BY_LABEL[view.by]}</Th>
						<Th className="w-[24%]">
							<span className="sr-only">Parts</span>
						</Th>
						<Th n>In use</Th>
						<Th n>Manufacture</Th>
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
			{rows.some((row) => row.incomplete) && (
				<p className="border-t px-4 py-2.5 text-xs text-ink-3">
					* Of some of its GPU time the emissions or the manufacture are not known; the figure is what is.
				</p>
			)}
		</>
	);
}

function Row({ row }: { row: CarbonRow }) {
	return (
		<Tr total={row.kind === "total"}>
			<Td phone="a" className="max-w-70 truncate font-strong">
				{row.label}
				{row.incomplete && <span title="Not all of it is known">*</span>}
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
				<Amount milligrams={row.operationalMilligrams} /> in use, <Amount milligrams={row.embodiedMilligrams} /> manufacture
			</Td>
			<Td n>
				<Amount milligrams={row.operationalMilligrams} />
			</Td>
			<Td n>
				<Amount milligrams={row.embodiedMilligrams} />
			</Td>
			<Td n phone="b" className="font-semibold">
				<Carbon grams={Number(row.totalMilligrams) / 1_000} />
			</Td>
			<Td n className="text-ink-3">
				{formatPercent(row.share)}
			</Td>
			<Td n phone="d">
				{hours(row.gpuMs)}
				<span className="md:hidden"> GPU-h</span>
			</Td>
			<Td n>
				{row.milligramsPerGpuHour === null ? (
					<span className="text-ink-3">unused</span>
				) : (
					<Carbon grams={Number(row.milligramsPerGpuHour) / 1_000} />
				)}
			</Td>
		</Tr>
	);
}

function Amount({ milligrams }: { milligrams: bigint }) {
	return milligrams === 0n ? <span className="text-ink-3">none</span> : <Carbon grams={Number(milligrams) / 1_000} />;
}
