"use client";
import { useMemo } from "react";
import {
	type DemandInput,
	type DemandPicture,
	type DemandReading,
	prepareDemand,
	readDemand,
	tabulateDemand,
} from "#components/charts/demand.ts";
import { svgFill } from "#components/charts/patterns.tsx";
import { useReadout } from "#components/charts/use-readout.ts";
import { useWidth } from "#components/charts/use-width.ts";
import { cn } from "#components/ui/cn.ts";
import { KeyMark } from "#components/ui/meter.tsx";

type DemandChartProps = {
	input: DemandInput;
	height?: number /** What the server draws for, before the browser knows its width. */;
	firstWidth?: number;
};

/** Demand in GPUs through time, stacked on the owned capacity: below its line runs at home, above it runs in a cloud or waits. */
export function DemandChart({ input, height = 352, firstWidth = 1140 }: DemandChartProps) {
	const [ref, width] = useWidth(firstWidth);
	const picture = useMemo(() => prepareDemand(input, { width, height }), [input, width, height]);
	const table = useMemo(() => tabulateDemand(input), [input]);
	const readout = useReadout({
		min: input.fromMs,
		max: input.toMs,
		step: (input.toMs - input.fromMs) / 96,
		rest: input.nowMs,
		valueAt: (x, shown) => picture.timeOfX((x / shown) * width),
		say: (at) => sentence(readDemand(input, at)),
		label: "Demand for GPUs. Left and right arrows read it through time",
	});
	return (
		<div>
			<Readout reading={readDemand(input, readout.current)} />
			<div ref={ref} {...readout.bind} className="touch-pan-y focus-visible:-outline-offset-2">
				<svg viewBox={`0 0 ${width} ${height}`} width="100%" style={{ height }} aria-hidden className="chart-text mark-exact block">
					<Picture picture={picture} width={width} ownedText={`${input.owned.label}, ${input.ownedGpus} owned`} cross={readout.value} />
				</svg>
			</div>
			<DemandTable rows={table} />
		</div>
	);
}

const round = (value: number) => Math.round(value).toLocaleString("en-US");

function sentence(reading: DemandReading): string {
	if (reading.wanted === null) return `${reading.when}: not measured`;
	return `${reading.when}: wanted ${round(reading.wanted)}, ${reading.rows.map((r) => `${r.label} ${round(r.value)}${r.of === undefined ? "" : ` of ${r.of}`}`).join(", ")}`;
}

function Readout({ reading }: { reading: DemandReading }) {
	return (
		<div aria-hidden className="flex min-h-6 flex-wrap gap-x-4 gap-y-1 px-4 pb-2 text-ink-2 md:gap-x-5.5">
			<span className="tabular min-w-37 font-semibold text-ink max-md:w-full">{reading.when}</span>
			{reading.wanted === null ? (
				<span className="text-ink-3">not measured</span>
			) : (
				<>
					<Cell label="Wanted" value={reading.wanted} estimate={reading.estimate} />
					{reading.rows.map((row) => (
						<span key={row.id} className="inline-flex items-center gap-1.75">
							<KeyMark fill={row.fill} />
							<Cell label={row.label} value={row.value} estimate={reading.estimate} />
							{row.of !== undefined && `of ${row.of}`}
						</span>
					))}
				</>
			)}
		</div>
	);
}

function Cell({ label, value, estimate }: { label: string; value: number; estimate: boolean }) {
	return (
		<span className="inline-flex gap-1.75 whitespace-nowrap">
			{label}
			<b className="tabular min-w-[1.4ch] text-right font-semibold text-ink">
				{estimate && <span className="font-book text-ink-3">≈ </span>}
				{round(value)}
			</b>
		</span>
	);
}

function Picture({
	picture: p,
	width,
	ownedText,
	cross,
}: {
	picture: DemandPicture;
	width: number;
	ownedText: string;
	cross: number | null;
}) {
	const right = width - p.margin.right;
	const phone = p.endLabels.length === 0;
	const ownedX = p.baseY - p.capacityY > 34 ? p.ownedLabelX : null;
	return (
		<>
			<Axes picture={p} right={right} />
			{p.layers.map((layer) => (
				<path
					key={layer.id}
					d={layer.d}
					fill={layer.fill === "owned" ? "var(--owned-area)" : svgFill(layer.fill)}
					opacity={layer.forecast ? 0.38 : layer.fill === "idle" ? 0.55 : undefined}
				/>
			))}
			{p.seams.map((d, i) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: seams have no name but their place in the stack.
				<path key={i} d={d} fill="none" stroke="var(--panel)" strokeWidth="1.5" />
			))}
			<path d={p.wantedLine} fill="none" stroke="var(--ink-2)" strokeWidth="1.25" />
			<path d={p.forecastBand} fill="var(--ink-3)" opacity="0.14" />
			<path d={p.forecastLine} fill="none" stroke="var(--ink-2)" strokeWidth="1.5" strokeDasharray="4 3" />
			<line x1={p.margin.left} x2={right} y1={p.capacityY} y2={p.capacityY} stroke="var(--ink)" strokeWidth="1.5" />
			{ownedX !== null && (
				<text x={ownedX + 10} y={p.baseY - (p.baseY - p.capacityY) * 0.35 + 4} className="chart-label" style={{ fill: "var(--panel)" }}>
					{ownedText}
				</text>
			)}
			{p.events.map((event) => (
				<g key={`${event.x}-${event.text}`}>
					<path d={`M${event.x} ${p.margin.top - 6}V${event.y - 4}`} stroke="var(--ink-3)" />
					{event.lengthened && (
						<text x={event.x - 6} y={p.margin.top + 3} textAnchor="end" className="halo">
							{event.text}
						</text>
					)}
				</g>
			))}
			<line x1={p.nowX} x2={p.nowX} y1={p.margin.top - 8} y2={p.baseY} stroke="var(--ink)" />
			<text x={p.nowX} y={p.margin.top - 13} textAnchor="middle" className="chart-label">
				Now
			</text>
			{p.forecastLine !== "" && (
				<text x={p.nowX + 24} y={p.margin.top - 13}>
					{phone ? "Forecast" : "Forecast, 8 in 10 chance inside the band"}
				</text>
			)}
			<text x={p.margin.left - 10} y={p.margin.top - 13} textAnchor="end">
				GPUs
			</text>
			{p.endLabels.map((label) => (
				<text key={label.id} x={right + 10} y={label.y + 4} className="chart-label">
					{label.text}
					{label.figure && (
						<tspan fontWeight="450" style={{ fill: "var(--ink-3)" }}>
							{label.text ? " " : ""}
							{label.figure}
						</tspan>
					)}
				</text>
			))}
			{cross !== null && (
				<line x1={p.xOfTime(cross)} x2={p.xOfTime(cross)} y1={p.margin.top} y2={p.baseY} stroke="var(--ink-3)" strokeDasharray="2 2" />
			)}
		</>
	);
}

function Axes({ picture: p, right }: { picture: DemandPicture; right: number }) {
	return (
		<>
			{p.yTicks.map((tick) => (
				<g key={tick.label}>
					{!tick.capacity && tick.label !== "0" && (
						<line x1={p.margin.left} x2={right} y1={tick.y} y2={tick.y} stroke="var(--line)" opacity="0.6" />
					)}
					<text
						x={p.margin.left - 10}
						y={tick.y + 4}
						textAnchor="end"
						style={tick.capacity ? { fontWeight: 620, fill: "var(--ink)" } : undefined}
					>
						{tick.label}
					</text>
				</g>
			))}
			{p.xTicks.map((tick) => (
				<g key={tick.atMs}>
					<line x1={tick.x} x2={tick.x} y1={p.baseY} y2={p.baseY + 4} stroke="var(--line-strong)" />
					<text x={tick.x} y={p.baseY + 19} textAnchor="middle" className={cn(tick.major && "font-strong")}>
						{tick.label}
					</text>
				</g>
			))}
		</>
	);
}

function DemandTable({ rows }: { rows: readonly DemandReading[] }) {
	const columns = rows.find((row) => row.rows.length > 0)?.rows ?? [];
	return (
		<div className="sr-only">
			<table>
				<caption>Demand for GPUs through time</caption>
				<thead>
					<tr>
						<th scope="col">Time, UTC</th>
						<th scope="col">Wanted</th>
						{columns.map((c) => (
							<th key={c.id} scope="col">
								{c.label}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={row.atMs}>
							<th scope="row">{row.when}</th>
							<td>{row.wanted === null ? "not measured" : round(row.wanted)}</td>
							{columns.map((c) => (
								<td key={c.id}>{round(row.rows.find((r) => r.id === c.id)?.value ?? 0)}</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
