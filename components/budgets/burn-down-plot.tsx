"use client";
import { Area, CartesianGrid, ComposedChart, Label, Line, ReferenceDot, ReferenceLine, XAxis, YAxis } from "recharts";
import type { BudgetDetail } from "#components/budgets/params.ts";
import { burnDownTicks, prepareBurnDown } from "#components/budgets/prepare-burn-down.ts";
import { EndLabels } from "#components/charts/end-labels.tsx";
import type { PlotFrame } from "#components/charts/plot-frame.ts";
import { formatAxisUsd, formatMoney } from "#components/money/format-money.ts";
import { formatDay } from "#components/time/format-time.ts";
import { DAY_MS } from "#server/kernel/units.ts";

const STILL = { isAnimationActive: false, activeDot: false, dot: false, connectNulls: true } as const;

type PlotProps = { budget: BudgetDetail; nowMs: number | null; width: number; height: number; frame: PlotFrame };

/** The burn-down without its readout; loaded separately because of Recharts. */
export function BurnDownPlot({ budget, nowMs, width, height, frame }: PlotProps) {
	const { rows, now, endLabels, lowest } = prepareBurnDown(budget, nowMs);
	const wide = frame.right > 50;
	return (
		<ComposedChart
			{...{ width, height, data: rows, accessibilityLayer: false, className: "chart-text mark-exact" }}
			margin={{ top: 14, right: frame.right, bottom: 0, left: 0 }}
		>
			<CartesianGrid syncWithTicks vertical={false} stroke="var(--line)" strokeOpacity={0.65} />
			<XAxis
				{...{ dataKey: "atMs", type: "number", height: 26, axisLine: false, tickLine: false, interval: 0 }}
				domain={[budget.periodStartMs, budget.periodEndMs]}
				ticks={burnDownTicks(budget, wide ? 6 : 3)}
				tick={{ textAnchor: "start" }}
				tickFormatter={(at: number) => formatDay(at + DAY_MS / 2, false)}
			/>
			<YAxis
				{...{ width: frame.left, tickCount: 6, axisLine: false, tickLine: false }}
				domain={[lowest < 0 ? "auto" : 0, "auto"]}
				tickFormatter={formatAxisUsd}
			/>
			<ReferenceLine y={0} stroke="var(--line-strong)">
				{lowest < 0 && <Label value="over the cap" position="insideBottomLeft" offset={4} dy={18} style={{ fill: "var(--risk-ink)" }} />}
			</ReferenceLine>
			<Line {...STILL} dataKey="pace" stroke="var(--ink-3)" strokeWidth={1} strokeDasharray="1 4" />
			<Area {...STILL} type="linear" dataKey="range" stroke="none" fill="color-mix(in oklab, var(--cloud) 20%, transparent)" />
			<Line {...STILL} type="linear" dataKey="middle" stroke="var(--cloud)" strokeWidth={1.5} strokeDasharray="5 3" />
			<Line {...STILL} type="stepAfter" dataKey="left" stroke="var(--cloud)" strokeWidth={1.75} />
			{now && now.held > 0 && <Held now={now} text={`${formatMoney(budget.heldMicroUsd, "posted")} held`} />}
			{now && (
				<ReferenceLine x={now.atMs} stroke="var(--ink-2)" strokeDasharray="2 3">
					<Label value="now" position="insideTopLeft" offset={6} className="halo" />
				</ReferenceLine>
			)}
			{now && <ReferenceDot x={now.atMs} y={now.left} r={3} fill="var(--panel)" stroke="var(--cloud)" strokeWidth={1.5} />}
			{wide && <EndLabels labels={endLabels} />}
		</ComposedChart>
	);
}

/** Held money below the remaining amount, a bar of fixed width at the current time. */
function Held({ now, text }: { now: { atMs: number; left: number; held: number }; text: string }) {
	const { atMs, left, held } = now;
	return (
		<ReferenceLine
			{...{ stroke: "color-mix(in oklab, var(--cloud) 55%, var(--panel))", strokeWidth: 6 }}
			segment={[
				{ x: atMs, y: left },
				{ x: atMs, y: left - held },
			]}
		>
			<Label value={text} position="insideBottomRight" offset={8} className="halo" />
		</ReferenceLine>
	);
}
