"use client";
import { type CarbonRow, prepareCarbonTable } from "#components/carbon/prepare-table.ts";
import { BY_LABEL, type CarbonView } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { Carbon, Grams } from "#components/emissions/carbon.tsx";
import { energyQuality, isEstimate } from "#components/emissions/quality.ts";
import { EmptyState } from "#components/page/states.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { hours } from "#components/spend/table-panel.tsx";
import { formatPercent } from "#components/ui/format-number.ts";
import { ShareBar } from "#components/ui/meter.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Breakdown by one dimension. Rows add up to the total exactly. */
export function CarbonTable({ view }: { view: CarbonView }) {
	const { page } = useCarbon(view);
	const rows = prepareCarbonTable(page.groups, view);
	if (rows.length === 1) {
		return (
			<EmptyState icon="carbon" title="No usage in this range">
				Choose a longer range or submit a job. Emissions appear within a minute.
			</EmptyState>
		);
	}
	return (
		<>
			<Table aria-label={`Breakdown by ${BY_LABEL[view.by].toLowerCase()}`}>
				<thead>
					<tr>
						<Th>{BY_LABEL[view.by]}</Th>
						<Th className="w-[18%]">
							<span className="sr-only">Parts</span>
						</Th>
						<Th n>Operational</Th>
						<Th n>Embodied</Th>
						<Th n>Total</Th>
						<Th n>Share</Th>
						<Th n>GPU-hours</Th>
						<Th n>Per GPU-hour</Th>
						<Th className="max-lg:hidden">Operational data</Th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<Row key={row.id} row={row} />
					))}
				</tbody>
			</Table>
			{rows.some((row) => row.incomplete) && (
				<p className="border-t px-4 py-2.5 text-xs text-ink-3">* Incomplete: emissions unknown for part of the GPU time.</p>
			)}
		</>
	);
}

function Row({ row }: { row: CarbonRow }) {
	const estimate = isEstimate(row.energy);
	const inUse = <Amount row={row} milligrams={row.operationalMilligrams} what="operational" estimate={estimate} />;
	const manufacture = <Amount row={row} milligrams={row.embodiedMilligrams} what="manufacture" estimate />;
	return (
		<Tr total={row.kind === "total"}>
			<Td phone="a" className="max-w-70 truncate font-strong">
				{row.label}
				{row.incomplete && <span title="Incomplete">*</span>}
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
				{inUse} operational, {manufacture} embodied
			</Td>
			<Td n>{inUse}</Td>
			<Td n>{manufacture}</Td>
			<Td n phone="b" className="font-semibold">
				<Amount row={row} milligrams={row.totalMilligrams} what="total" estimate={estimate || row.embodiedMilligrams !== 0n} />
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
					<span className="text-ink-3">idle</span>
				) : (
					<Carbon grams={Number(row.milligramsPerGpuHour) / 1_000} estimate={estimate || row.embodiedMilligrams !== 0n} />
				)}
			</Td>
			<Td className="text-xs text-ink-3 max-lg:hidden">{row.energy.energyMilliWh > 0n ? energyQuality(row.energy) : "energy unknown"}</Td>
		</Tr>
	);
}

/** An amount that links to its charges. */
function Amount({ row, milligrams, what, estimate }: { row: CarbonRow; milligrams: bigint; what: string; estimate: boolean }) {
	return (
		<Drill href={milligrams === 0n ? null : row.href} what={`${row.label}, ${what}`}>
			<Grams milligrams={milligrams} estimate={estimate} />
		</Drill>
	);
}
