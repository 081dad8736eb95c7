"use client";
import Link from "next/link";
import { useMemo } from "react";
import { budgetDrill } from "#components/budgets/drill.ts";
import type { BudgetDetail } from "#components/budgets/params.ts";
import { type BurnDownPicture, burnDownDays, prepareBurnDown } from "#components/budgets/prepare-burn-down.ts";
import { px } from "#components/charts/scale.ts";
import { useReadout } from "#components/charts/use-readout.ts";
import { useWidth } from "#components/charts/use-width.ts";
import { formatAxisUsd, formatMoney } from "#components/money/format-money.ts";

const HEIGHT = 300;

/** What is left of the cap by day; read by pointing or by the arrow keys, and as a table by who does not see it. */
export function BurnDownChart({ budget, nowMs }: { budget: BudgetDetail; nowMs: number | null }) {
	const [ref, width] = useWidth(700);
	const picture = useMemo(() => prepareBurnDown(budget, nowMs, { width, height: HEIGHT }), [budget, nowMs, width]);
	const days = useMemo(() => burnDownDays(budget), [budget]);
	const rest = Math.max(0, budget.days.length - 1);
	const say = (index: number) => {
		const day = days[index];
		return day ? `${day.label}: ${day.posted} ${day.estimate ? "forecast" : "posted"}, ${day.left} left` : "nothing";
	};
	const right = width - picture.margin.right;
	const readout = useReadout({
		...{ min: 0, max: Math.max(0, days.length - 1), step: 1, rest, say },
		valueAt: (x, shown) =>
			Math.floor((((x / shown) * width - picture.margin.left) / Math.max(1, right - picture.margin.left)) * days.length),
		label: "What is left of the cap by day. Left and right arrows read it day by day",
	});
	const read = days[readout.current];
	const spent = (budget.days[readout.current]?.postedMicroUsd ?? 0n) !== 0n;
	const href = read && !read.estimate && spent ? budgetDrill(budget, { day: read.date }) : null;
	return (
		<div>
			<p className="tabular min-h-6 px-4 text-xs text-ink-2">
				{say(readout.current)}{" "}
				{href && (
					<Link href={href} prefetch={false} className="ml-2 font-strong text-accent hover:underline">
						Charges
					</Link>
				)}
			</p>
			<div ref={ref} {...readout.bind} className="touch-pan-y focus-visible:-outline-offset-2">
				<svg viewBox={`0 0 ${width} ${HEIGHT}`} width="100%" style={{ height: HEIGHT }} aria-hidden className="chart-text mark-exact block">
					<Picture p={picture} width={width} held={formatMoney(budget.heldMicroUsd, "posted")} />
				</svg>
			</div>
			<div className="sr-only">
				<table>
					<caption>What is left of the cap by day</caption>
					<thead>
						<tr>
							<th scope="col">Day</th>
							<th scope="col">Posted</th>
							<th scope="col">Left</th>
							{days.some((day) => day.estimate) && <th scope="col">Likely left</th>}
						</tr>
					</thead>
					<tbody>
						{days.map((day) => (
							<tr key={day.id}>
								<th scope="row">{day.estimate ? `${day.label}, forecast` : day.label}</th>
								<td>{day.posted}</td>
								<td>{day.left}</td>
								{days.some((other) => other.estimate) && <td>{day.likely}</td>}
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</div>
	);
}

function Picture({ p, width, held }: { p: BurnDownPicture; width: number; held: string }) {
	const right = width - p.margin.right;
	return (
		<>
			{p.yTicks.map((tick) => (
				<g key={tick.dollars}>
					<line
						x1={p.margin.left}
						x2={right}
						y1={px(tick.y)}
						y2={px(tick.y)}
						stroke={tick.dollars === 0 ? "var(--line-strong)" : "var(--line)"}
						opacity={tick.dollars === 0 ? 1 : 0.65}
					/>
					<text x={p.margin.left - 8} y={tick.y + 4} textAnchor="end">
						{formatAxisUsd(tick.dollars)}
					</text>
				</g>
			))}
			{p.xTicks.map((tick) => (
				<text key={tick.text} x={px(tick.x)} y={HEIGHT - 8} textAnchor="start">
					{tick.text}
				</text>
			))}
			{p.passes && (
				<text x={p.margin.left + 4} y={p.zeroY + 14} style={{ fill: "var(--risk-ink)" }}>
					past the cap
				</text>
			)}
			<path d={p.evenPace} stroke="var(--ink-3)" strokeDasharray="1 4" fill="none" />
			{p.ahead && (
				<>
					<path d={p.ahead.area} fill="color-mix(in oklab, var(--cloud) 20%, transparent)" />
					<path d={p.ahead.middle} stroke="var(--cloud)" strokeWidth="1.5" strokeDasharray="5 3" fill="none" />
				</>
			)}
			<path d={p.line} stroke="var(--cloud)" strokeWidth="1.75" fill="none" />
			{p.held && (
				<rect
					x={px(p.held.x - 3)}
					y={px(p.held.y)}
					width="6"
					height={px(Math.max(1, p.held.height))}
					fill="color-mix(in oklab, var(--cloud) 38%, var(--panel))"
					stroke="var(--cloud)"
				/>
			)}
			{p.now && (
				<>
					<line x1={px(p.now.x)} x2={px(p.now.x)} y1={p.margin.top} y2={p.zeroY} stroke="var(--ink-2)" strokeDasharray="2 3" />
					<circle cx={px(p.now.x)} cy={px(p.now.y)} r="3" fill="var(--panel)" stroke="var(--cloud)" strokeWidth="1.5" />
					<text x={p.now.x + 6} y={p.margin.top + 8} className="halo">
						now
					</text>
				</>
			)}
			{p.held && p.held.height > 8 && (
				<text x={p.held.x - 8} y={p.held.y + p.held.height} textAnchor="end" className="halo">
					{held} held
				</text>
			)}
			{p.endLabels.map((label) => (
				<text
					key={label.id}
					x={right + 8}
					y={label.y + 4}
					className="chart-label"
					style={{
						fontSize: 11,
						fill: label.over ? "var(--risk-ink)" : "var(--ink-2)",
						fontWeight: label.id === "middle" ? 600 : undefined,
					}}
				>
					{label.text}
				</text>
			))}
		</>
	);
}
