"use client";
import { Bar, CartesianGrid, ComposedChart, ErrorBar, Line, ReferenceLine, usePlotArea, XAxis, YAxis } from "recharts";
import { EndLabels } from "#components/charts/end-labels.tsx";
import { svgFill } from "#components/charts/patterns.tsx";
import type { PlotFrame } from "#components/charts/plot-frame.ts";
import { type BarRow, type BarsInput, barEndLabels, barRows } from "#components/charts/stacked-bars.ts";
import { formatAxisUsd } from "#components/money/format-money.ts";

const AXIS = {
	usd: formatAxisUsd,
	count: (n: number) => n.toLocaleString("en-US"),
	// Small values in grams, because ticks have little room.
	kg: (n: number) => (n === 0 ? "0" : n < 1 ? `${(n * 1_000).toLocaleString("en-US")} g` : `${n.toLocaleString("en-US")} kg`),
};

type PlotProps = {
	input: BarsInput;
	width: number;
	height: number;
	frame: PlotFrame;
	nowText: string | undefined;
	/** Index of the bar being read. */
	hover: number | null;
	/** Index of the bar that filters the screen. */
	picked: number | null;
	/** Space above the bars. */
	top: number;
};

/** The stacked bars without their readout; loaded separately because of Recharts. */
export function StackedBarsPlot({ input, width, height, frame, nowText, hover, picked, top }: PlotProps) {
	const rows = barRows(input);
	const todayAt = input.bars.findIndex((bar) => bar.done > 0 && bar.done < 1);
	const ticks = rows.filter((row) => row.bar.tick).map((row) => row.index);
	return (
		<ComposedChart
			{...{ width, height, data: rows, stackOffset: "sign", barCategoryGap: "13%", accessibilityLayer: false }}
			margin={{ top, right: frame.right, bottom: 0, left: 0 }}
			className="chart-text mark-exact"
		>
			<Highlight index={picked} count={rows.length} strong />
			<Highlight index={hover} count={rows.length} />
			<CartesianGrid vertical={false} stroke="var(--line)" strokeOpacity={0.65} />
			<XAxis
				{...{ dataKey: "index", height: 26, axisLine: false, tickLine: false, ticks, interval: "preserveStartEnd" }}
				tick={<DayTick bars={input.bars} />}
			/>
			<YAxis
				{...{ width: frame.left, tickCount: 6, axisLine: false, tickLine: false, allowDecimals: input.axis !== "count" }}
				tickFormatter={AXIS[input.axis]}
			/>
			{input.series.map(({ id, fill }) => (
				<Bar
					key={id}
					{...{ stackId: "bar", maxBarSize: 46, isAnimationActive: false }}
					dataKey={(row: BarRow) => row.values[id]}
					fill={fill === "owned" ? "var(--owned-area)" : svgFill(fill)}
					shape={(props: unknown) => <SplitBar {...(props as SplitProps)} seriesId={id} />}
				/>
			))}
			{rows.some((row) => row.range) && (
				<Line
					{...{ dot: false, activeDot: false, isAnimationActive: false, stroke: "none" }}
					dataKey={(row: BarRow) => row.range?.middle ?? null}
				>
					<ErrorBar
						{...{ direction: "y", width: 0, stroke: "var(--ink-2)", strokeWidth: 1, isAnimationActive: false }}
						dataKey={(row: BarRow) => row.range?.error ?? [0, 0]}
					/>
				</Line>
			)}
			{input.previous && (
				<Line
					{...{ dot: false, activeDot: false, isAnimationActive: false, type: "step", stroke: "var(--ink)", strokeWidth: 1.5 }}
					strokeDasharray="4 3"
					dataKey="previous"
				/>
			)}
			<ReferenceLine y={0} stroke="var(--line-strong)" />
			{todayAt >= 0 && <NowLine at={todayAt + (input.bars[todayAt]?.done ?? 0)} count={rows.length} text={nowText} />}
			{frame.right > 50 && <EndLabels leaders labels={barEndLabels(input)} />}
		</ComposedChart>
	);
}

type SplitProps = { x: number; y: number; width: number; height: number; fill: string; payload: BarRow };

/** Actual at the left in full color, forecast at the right and pale. */
function SplitBar({ x, y, width, height, fill, payload, seriesId }: SplitProps & { seriesId: string }) {
	const [total, posted] = [payload.values[seriesId] ?? 0, payload.posted[seriesId] ?? 0];
	if (total === 0 || !Number.isFinite(height)) return null;
	const split = posted === 0 ? 0 : posted === total ? 1 : payload.bar.done;
	const box = { y: Math.min(y, y + height), height: Math.max(0.5, Math.abs(height) - 0.6), fill };
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

function Highlight({ index, count, strong = false }: { index: number | null; count: number; strong?: boolean }) {
	const plot = usePlotArea();
	if (!plot || index === null) return null;
	const band = plot.width / Math.max(1, count);
	return (
		<rect
			x={plot.x + index * band}
			y={plot.y}
			width={band}
			height={plot.height}
			fill={strong ? "var(--accent)" : "var(--ink)"}
			opacity={strong ? 0.18 : 0.06}
		/>
	);
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
