"use client";
import { memo } from "react";
import { Bar, ComposedChart, ErrorBar, Line, ReferenceLine, usePlotArea, XAxis, YAxis } from "recharts";
import { Grid, INLINE, UNMEASURED, ValueTick } from "#components/charts/axis.tsx";
import { EndLabels } from "#components/charts/end-labels.tsx";
import { svgFill } from "#components/charts/patterns.tsx";
import type { PlotFrame } from "#components/charts/plot-frame.ts";
import { type BarRow, type BarsInput, barEndLabels, barRows, spacedTicks } from "#components/charts/stacked-bars.ts";
import { formatAxisUsd } from "#components/money/format-money.ts";

const AXIS = {
	usd: formatAxisUsd,
	count: (n: number) => n.toLocaleString("en-US"),
	kg: formatAxisKg,
};

/** In g, kg or t, because ticks have little room. */
function formatAxisKg(kg: number): string {
	if (kg === 0) return "0";
	const [amount, unit] = kg < 1 ? [kg * 1_000, "g"] : kg < 1_000 ? [kg, "kg"] : [kg / 1_000, "t"];
	return `${amount.toLocaleString("en-US")} ${unit}`;
}

type PlotProps = {
	input: BarsInput;
	width: number;
	height: number;
	frame: PlotFrame;
	nowText: string | undefined;
	/** Index of the bar that filters the screen. */
	picked: number | null;
	/** Space above the bars. */
	top: number;
};

/** The stacked bars without their readout; loaded separately because of Recharts. */
export const StackedBarsPlot = memo(function StackedBarsPlot({ input, width, height, frame, nowText, picked, top }: PlotProps) {
	const rows = barRows(input);
	const todayAt = input.bars.findIndex((bar) => bar.done > 0 && bar.done < 1);
	const ticks = spacedTicks(input.bars, width - frame.left - frame.right);
	return (
		<ComposedChart
			{...{ width, height, data: rows, stackOffset: "sign", barCategoryGap: "13%", accessibilityLayer: false }}
			margin={{ top, right: frame.right, bottom: 0, left: 0 }}
			className="chart-text mark-exact"
		>
			<Picked index={picked} count={rows.length} />
			<Grid />
			<XAxis {...UNMEASURED} {...{ dataKey: "index", height: 26, ticks }} tick={<DayTick bars={input.bars} />} />
			<YAxis
				{...UNMEASURED}
				{...{ width: frame.left, tickCount: 6, allowDecimals: input.axis !== "count" }}
				tick={<ValueTick format={AXIS[input.axis]} />}
			/>
			{(["up", "down"] as const).map((side) => (
				<Bar
					key={side}
					{...INLINE}
					{...{ stackId: "bar", maxBarSize: 46, dataKey: side }}
					shape={(props: unknown) => <Stack {...(props as StackProps)} side={side} series={input.series} />}
				/>
			))}
			{rows.some((row) => row.range) && (
				<Line {...INLINE} {...{ dot: false, activeDot: false, stroke: "none" }} dataKey={(row: BarRow) => row.range?.middle ?? null}>
					<ErrorBar
						{...INLINE}
						{...{ direction: "y", width: 0, stroke: "var(--ink-2)", strokeWidth: 1 }}
						dataKey={(row: BarRow) => row.range?.error ?? [0, 0]}
					/>
				</Line>
			)}
			{input.previous && (
				<Line
					{...INLINE}
					{...{ dot: false, activeDot: false, type: "step", stroke: "var(--ink)", strokeWidth: 1.5 }}
					strokeDasharray="4 3"
					dataKey="previous"
				/>
			)}
			<ReferenceLine y={0} zIndex={0} stroke="var(--line-strong)" />
			{todayAt >= 0 && <NowLine at={todayAt + (input.bars[todayAt]?.done ?? 0)} count={rows.length} text={nowText} />}
			{frame.right > 50 && <EndLabels leaders labels={barEndLabels(input)} />}
		</ComposedChart>
	);
});

type StackProps = { x: number; y: number; width: number; height: number; payload: BarRow };

/** The series of one bar above or below zero. One Recharts bar for all of them: each costs several renders. */
function Stack({ x, y, width, height, payload, side, series }: StackProps & { side: "up" | "down"; series: BarsInput["series"] }) {
	const total = payload[side];
	if (total === 0 || !Number.isFinite(height)) return null;
	const [top, pixels] = [Math.min(y, y + height), Math.abs(height)];
	let sum = 0;
	return series.map(({ id, fill }) => {
		const value = payload.values[id] ?? 0;
		if (value === 0 || value > 0 !== (side === "up")) return null;
		const before = sum;
		sum += value;
		const share = (side === "up" ? total - sum : before) / total;
		const box = { y: top + share * pixels, height: (value / total) * pixels };
		return (
			<SplitBar
				key={id}
				{...{ x, width, ...box }}
				row={payload}
				seriesId={id}
				fill={fill === "owned" ? "var(--owned-area)" : svgFill(fill)}
			/>
		);
	});
}

type SplitProps = { x: number; y: number; width: number; height: number; fill: string; row: BarRow; seriesId: string };

/** Actual at the left in full color, forecast at the right and pale. */
function SplitBar({ x, y, width, height, fill, row, seriesId }: SplitProps) {
	const [total, posted] = [row.values[seriesId] ?? 0, row.posted[seriesId] ?? 0];
	const split = posted === 0 ? 0 : posted === total ? 1 : row.bar.done;
	const box = { y, height: Math.max(0.5, height - 0.6), fill };
	return (
		<>
			{split > 0 && <rect {...box} x={x} width={width * split} />}
			{split < 1 && <rect {...box} x={x + width * split} width={width * (1 - split)} opacity={0.36} />}
		</>
	);
}

type TickProps = { x?: number; y?: number; payload?: { value: number }; bars: BarsInput["bars"] };

/** Tick label; today's is strong. */
function DayTick({ x = 0, y = 0, payload, bars }: TickProps) {
	const bar = bars[payload?.value ?? -1];
	const today = bar !== undefined && bar.done > 0 && bar.done < 1;
	return (
		<text x={x} y={y + 10} textAnchor="middle" style={today ? { fill: "var(--ink)", fontWeight: 600 } : undefined}>
			{bar?.tick}
		</text>
	);
}

function Picked({ index, count }: { index: number | null; count: number }) {
	const plot = usePlotArea();
	if (!plot || index === null) return null;
	const band = plot.width / Math.max(1, count);
	return <rect x={plot.x + index * band} y={plot.y} width={band} height={plot.height} fill="var(--accent)" opacity={0.18} />;
}

/** Boundary of actual and forecast inside today's bar, at `at` bars from the left. */
function NowLine({ at, count, text }: { at: number; count: number; text: string | undefined }) {
	const plot = usePlotArea();
	if (!plot) return null;
	const x = plot.x + (at / Math.max(1, count)) * plot.width;
	const flip = x > plot.x + plot.width - 130;
	return (
		<>
			<line x1={x} x2={x} y1={plot.y} y2={plot.y + plot.height} stroke="var(--ink-2)" strokeDasharray="2 3" />
			{text && (
				<text x={x + (flip ? -6 : 6)} y={plot.y + 6} textAnchor={flip ? "end" : "start"} className="halo">
					{text}
				</text>
			)}
		</>
	);
}
