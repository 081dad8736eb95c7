"use client";
import { memo } from "react";
import { Area, ComposedChart, Label, Line, ReferenceArea, ReferenceLine, usePlotArea, useXAxisScale, XAxis, YAxis } from "recharts";
import { Grid, INLINE, TimeTick, UNMEASURED, ValueTick } from "#components/charts/axis.tsx";
import { type DemandInput, type DemandRow, demandEndLabels, demandTicks, isUsed, ownedLabelSpan } from "#components/charts/demand.ts";
import { EndLabels } from "#components/charts/end-labels.tsx";
import { svgFill } from "#components/charts/patterns.tsx";
import type { PlotFrame } from "#components/charts/plot-frame.ts";
import { timeTicks } from "#components/charts/scale.ts";
import type { MarkFill } from "#components/ui/meter.tsx";

type DemandPlotProps = {
	input: DemandInput;
	rows: readonly DemandRow[];
	width: number;
	height: number;
	frame: PlotFrame;
	phone: boolean;
};

const fillOf = (fill: MarkFill | "waiting") => (fill === "owned" ? "var(--owned-area)" : svgFill(fill));

/** The demand chart without its readout; loaded separately because of Recharts. */
export const DemandPlot = memo(function DemandPlot({ input, rows, width, height, frame, phone }: DemandPlotProps) {
	const { ticks, top } = demandTicks(input, rows);
	const times = timeTicks(input.fromMs, input.toMs, phone ? 5 : 11);
	const cap = input.ownedGpus;
	return (
		<ComposedChart
			width={width}
			height={height}
			data={[...rows]}
			margin={{ top: 30, right: frame.right, bottom: 0, left: 0 }}
			accessibilityLayer={false}
			className="chart-text mark-exact"
		>
			<Grid opacity={0.6} />
			<XAxis
				{...UNMEASURED}
				{...{ dataKey: "atMs", type: "number", domain: ["dataMin", "dataMax"], height: 30, tickSize: 4 }}
				ticks={times.map((tick) => tick.atMs)}
				tick={<TimeTick format={(at) => times.find((tick) => tick.atMs === at)?.label ?? ""} />}
				tickLine={{ stroke: "var(--line-strong)" }}
			/>
			<YAxis
				{...UNMEASURED}
				{...{ width: frame.left, ticks, domain: [0, top] }}
				tick={<ValueTick strong={cap} format={(value) => (value > cap ? `+${value - cap}` : String(value))} />}
			/>
			{measuredAreas(input)}
			{rows.some((row) => row.forecast || row.middle !== undefined) && forecastAreas(input)}
			<ReferenceLine y={cap} zIndex={0} stroke="var(--ink)" strokeWidth={1.5} />
			<OwnedLabel input={input} rows={rows} />
			{input.nowMs <= input.toMs && <ReferenceLine x={input.nowMs} zIndex={0} stroke="var(--ink)" />}
			<Notes input={input} phone={phone} left={frame.left} />
			{!phone && <EndLabels labels={demandEndLabels(input)} />}
		</ComposedChart>
	);
});

const STILL = { ...INLINE, activeDot: false, dot: false } as const;

function measuredAreas(input: DemandInput) {
	const layers = [
		{ id: input.owned.id, fill: input.owned.fill },
		{ id: "idle", fill: "idle" as const },
		...input.cloud.filter(isUsed),
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
	const layers = [input.owned, { id: "pad", fill: "none" as const }, ...input.cloud.filter(isUsed)];
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
			{input.nowMs <= input.toMs && (
				<text x={scale(input.nowMs)} y={plot.y - 5} textAnchor="middle" className="chart-label">
					Now
				</text>
			)}
			{(input.demandForecast?.length ?? 0) > 0 && input.toMs > input.nowMs && (
				<text x={(scale(input.nowMs) ?? 0) + 24} y={plot.y - 5}>
					{phone ? "Forecast" : "Forecast, 80% range"}
				</text>
			)}
		</>
	);
}
