"use client";
import { Sparkline, type SparkPoint } from "#components/charts/sparkline.tsx";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { Place } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { formatExact, formatSpan } from "#components/time/format-time.ts";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { type GpuUse, type GpuUseRow, gpuUseCsv, prepareGpuUse } from "./prepare-gpu-use.ts";

/** One row of measurements per attempt that has any. */
export function MeasuredGpuUse({ job, use }: { job: JobDetail; use: GpuUse }) {
	const rows = prepareGpuUse(use, job.attemptList);
	return (
		<Panel
			title="GPU use"
			sub={`nvidia-smi, ${formatSpan(use.stepMs)} steps`}
			actions={<CsvButton size="sm" label="GPU use as CSV" fileName={`spillway-gpu-use-${job.id}.csv`} text={() => gpuUseCsv(use, rows)} />}
		>
			<Table aria-label="GPU use">
				<thead>
					<tr>
						<Th>Attempt</Th>
						<Th className="w-[30%]">Utilization, 0 to 100%</Th>
						<Th n>Average</Th>
						<Th className="w-[30%]">Power, all GPUs</Th>
						<Th n>Average</Th>
						<Th n>Measured</Th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<UseRow key={row.attempt.id} row={row} />
					))}
				</tbody>
			</Table>
			<Measured rows={rows} />
		</Panel>
	);
}

function UseRow({ row }: { row: GpuUseRow }) {
	const { attempt, meanPercent, meanWatts, measuredMinutes, toMs } = row;
	const fill = attempt.placement.capacityType;
	const percent = `${formatCount(Math.round(meanPercent))}%`;
	const watts = meanWatts === null ? "unknown" : `${formatCount(Math.round(meanWatts))} W`;
	return (
		<Tr>
			<Td phone="a">
				<span className="inline-flex items-center gap-2">
					<span className="tabular text-ink-3">{attempt.number}</span> <Place {...shownPlace(attempt.placement)} word={false} />
				</span>
			</Td>
			<Td phone="e">
				<Sparkline
					points={row.utilisation}
					toMs={toMs}
					fill={fill}
					most={100}
					className="h-5"
					label={spoken("GPU utilization", row.utilisation, "%")}
				/>
			</Td>
			<Td n phone="b" className="font-semibold">
				{percent}
			</Td>
			<Td>
				{meanWatts === null ? (
					<span className="text-ink-3">not reported by the driver</span>
				) : (
					<Sparkline points={row.power} toMs={toMs} fill={fill} className="h-5" label={spoken("GPU power", row.power, " W")} />
				)}
			</Td>
			<Td n phone="d">
				{watts}
			</Td>
			<Td n phone="c" className="text-ink-3 max-md:text-left!">
				{formatCount(measuredMinutes)} min
			</Td>
		</Tr>
	);
}

/** "GPU utilization: 12% to 98%". */
function spoken(what: string, points: readonly SparkPoint[], unit: string): string {
	const values = points.flatMap((p) => p.value ?? []);
	const formatValue = (value: number) => `${formatCount(Math.round(value))}${unit}`;
	return `${what}: ${formatValue(Math.min(...values))} to ${formatValue(Math.max(...values))}`;
}

/** The charts as a table for screen readers. */
function Measured({ rows }: { rows: readonly GpuUseRow[] }) {
	const formatValue = (value: number | null | undefined, unit: string) =>
		value == null ? "no data" : `${formatCount(Math.round(value))}${unit}`;
	return (
		<div className="sr-only">
			<table>
				<caption>GPU use over time</caption>
				<thead>
					<tr>
						<th scope="col">Attempt</th>
						<th scope="col">From</th>
						<th scope="col">Utilization</th>
						<th scope="col">Power</th>
					</tr>
				</thead>
				<tbody>
					{rows.flatMap((row) =>
						row.utilisation.map((point, i) => (
							<tr key={`${row.attempt.id}-${point.atMs}`}>
								<td>{row.attempt.number}</td>
								<th scope="row">{formatExact(point.atMs)}</th>
								<td>{formatValue(point.value, "%")}</td>
								<td>{formatValue(row.power[i]?.value, " W")}</td>
							</tr>
						)),
					)}
				</tbody>
			</table>
		</div>
	);
}
