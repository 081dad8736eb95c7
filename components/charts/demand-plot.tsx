"use client";
import {
	Area,
	Brush,
	CartesianGrid,
	ComposedChart,
	Label,
	Line,
	ReferenceArea,
	ReferenceLine,
	usePlotArea,
	useXAxisScale,
	XAxis,
	YAxis,
} from "recharts";
import { type DemandInput, type DemandRow, demandEndLabels, demandTicks, ownedLabelSpan } from "#components/charts/demand.ts";
import { EndLabels } from "#components/charts/end-labels.tsx";
import { svgFill } from "#components/charts/patterns.tsx";
import type { PlotFrame } from "#components/charts/plot-frame.ts";
import { timeTicks } from "#components/charts/scale.ts";
import { formatClock } from "#components/time/format-time.ts";
import type { MarkFill } from "#components/ui/meter.tsx";

export interface TimeWindow {
	fromMs: number;
	toMs: number;
}

type DemandPlotProps = {
	input: DemandInput;
	rows: readonly DemandRow[];
	width: number;
	height: number;
	frame: PlotFrame;
	phone: boolean;
	/** Height of the brush below the axis; 0 for none. */
	brush: number;
	window: TimeWindow;
	onWindow: (window: TimeWindow) => void;
	cross: number | null;
};

const fillOf = (fill: MarkFill | "waiting") => (fill === "owned" ? "var(--owned-area)" : svgFill(fill));

/** The demand chart without its readout; loaded separately because of Recharts. */
export function DemandPlot({ input, rows, width, height, frame, phone, brush, window, onWindow, cross }: DemandPlotProps) {
	const { ticks, top } = demandTicks(input, rows);
	const times = timeTicks(window.fromMs, window.toMs, phone ? 5 : 11);
	const cap = input.ownedGpus;
	return (
		<ComposedChart
			// The brush of Recharts keeps its old indexes. With fewer rows they would be out of range and its position NaN.
			key={rows.length}
			width={width}
			height={height}
			data={[...rows]}
			margin={{ top: 30, right: frame.right, bottom: 0, left: 0 }}
			accessibilityLayer={false}
			className="chart-text mark-exact"
		>
			<CartesianGrid syncWithTicks vertical={false} stroke="var(--line)" strokeOpacity={0.6} />
			<XAxis
				{...{ dataKey: "atMs", type: "number", domain: ["dataMin", "dataMax"], height: 30, interval: 0, axisLine: false }}
				ticks={times.map((tick) => tick.atMs)}
				tickFormatter={(at: number) => times.find((tick) => tick.atMs === at)?.label ?? ""}
				tickLine={{ stroke: "var(--line-strong)" }}
				tickSize={4}
			/>
			<YAxis
				{...{ width: frame.left, ticks, domain: [0, top], interval: 0, axisLine: false, tickLine: false }}
				tick={<GpuTick cap={cap} />}
			/>
			{measuredAreas(input)}
			{forecastAreas(input)}
			<ReferenceLine y={cap} stroke="var(--ink)" strokeWidth={1.5} />
			<OwnedLabel input={input} rows={rows} />
			<ReferenceLine x={input.nowMs} stroke="var(--ink)">
				<Label value="Now" position="top" className="chart-label" />
			</ReferenceLine>
			{cross !== null && <ReferenceLine x={cross} stroke="var(--ink-3)" strokeDasharray="2 2" />}
			<Notes input={input} phone={phone} left={frame.left} />
			{!phone && <EndLabels labels={demandEndLabels(input)} />}
			{brush > 0 && rows.length > 1 && <Zoom rows={rows} brush={brush} window={window} onWindow={onWindow} />}
		</ComposedChart>
	);
}

/** Values above the capacity count from +0; the capacity itself is strong. */
function GpuTick({ x = 0, y = 0, payload, cap }: { x?: number; y?: number; payload?: { value: number }; cap: number }) {
	const value = payload?.value ?? 0;
	return (
		<text x={x - 8} y={y + 4} textAnchor="end" style={value === cap ? { fontWeight: 620, fill: "var(--ink)" } : undefined}>
			{value > cap ? `+${value - cap}` : value}
		</text>
	);
}

const STILL = { isAnimationActive: false, activeDot: false, dot: false } as const;

function measuredAreas(input: DemandInput) {
	const layers = [
		{ id: input.owned.id, fill: input.owned.fill },
		{ id: "idle", fill: "idle" as const },
		...input.cloud,
		{ id: "waiting", fill: "waiting" as const },
	];
	return [
		...layers.map(({ id, fill }) => (
			<Area
				{...STILL}
				key={id}
				type="stepAfter"
				stackId="measured"
				dataKey={(row: DemandRow) => row.measured?.[id] ?? null}
				fill={fillOf(fill)}
				fillOpacity={fill === "idle" ? 0.55 : 1}
				stroke={input.cloud.some((series) => series.id === id) ? "var(--panel)" : "none"}
				strokeWidth={1.5}
			/>
		)),
		<Line {...STILL} key="wanted" type="stepAfter" dataKey="wanted" stroke="var(--ink-2)" strokeWidth={1.25} />,
	];
}

function forecastAreas(input: DemandInput) {
	const layers = [input.owned, { id: "pad", fill: "none" as const }, ...input.cloud];
	return [
		...layers.map(({ id, fill }) => (
			<Area
				{...STILL}
				key={`${id}-forecast`}
				type="linear"
				stackId="forecast"
				dataKey={(row: DemandRow) => row.forecast?.[id] ?? null}
				fill={fillOf(fill)}
				fillOpacity={0.38}
				stroke="none"
			/>
		)),
		<Area {...STILL} key="band" type="linear" dataKey="band" fill="var(--ink-3)" fillOpacity={0.14} stroke="none" />,
		<Line {...STILL} key="middle" type="linear" dataKey="middle" stroke="var(--ink-2)" strokeWidth={1.5} strokeDasharray="4 3" />,
	];
}

function OwnedLabel({ input, rows }: { input: DemandInput; rows: readonly DemandRow[] }) {
	const span = ownedLabelSpan(input, rows);
	const plot = usePlotArea();
	if (!span || !plot || plot.height < 120) return null;
	return (
		<ReferenceArea x1={span.fromMs} x2={span.toMs} y1={0} y2={input.ownedGpus * 0.7} fill="none" stroke="none">
			<Label
				value={`${input.owned.label}, ${input.ownedGpus} GPUs`}
				position="insideLeft"
				offset={10}
				className="chart-label"
				style={{ fill: "var(--panel)" }}
			/>
		</ReferenceArea>
	);
}

function Notes({ input, phone, left }: { input: DemandInput; phone: boolean; left: number }) {
	const plot = usePlotArea();
	const scale = useXAxisScale();
	if (!plot || !scale) return null;
	return (
		<>
			<text x={left - 10} y={plot.y - 13} textAnchor="end">
				GPUs
			</text>
			{(input.demandForecast?.length ?? 0) > 0 && input.toMs > input.nowMs && (
				<text x={(scale(input.nowMs) ?? 0) + 24} y={plot.y - 5}>
					{phone ? "Forecast" : "Forecast, 80% range"}
				</text>
			)}
		</>
	);
}

type ZoomProps = { rows: readonly DemandRow[]; brush: number; window: TimeWindow; onWindow: (window: TimeWindow) => void };

function Zoom({ rows, brush, window, onWindow }: ZoomProps) {
	const last = rows.length - 1;
	const start = Math.max(
		0,
		rows.findLastIndex((row) => row.atMs <= window.fromMs),
	);
	const end = rows.findIndex((row) => row.atMs >= window.toMs);
	return (
		<Brush
			{...{ dataKey: "atMs", height: brush, travellerWidth: 8, stroke: "var(--line-strong)", fill: "var(--sunken)" }}
			startIndex={start}
			endIndex={end < 0 ? last : end}
			ariaLabel="Zoom range"
			tickFormatter={(at) => formatClock(Number(at))}
			onChange={({ startIndex = 0, endIndex = last }) => {
				const [from, to] = [rows[startIndex], rows[endIndex]];
				if (from && to && to.atMs > from.atMs) onWindow({ fromMs: from.atMs, toMs: to.atMs });
			}}
		/>
	);
}
