"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { KeyboardEvent } from "react";
import { useMemo } from "react";
import { svgFill } from "#components/charts/patterns.tsx";
import { px } from "#components/charts/scale.ts";
import { type BarsInput, type BarsPicture, prepareBars, readBar, tabulateBars } from "#components/charts/stacked-bars.ts";
import { useReadout } from "#components/charts/use-readout.ts";
import { useWidth } from "#components/charts/use-width.ts";
import { formatAxisUsd } from "#components/money/format-money.ts";
import { MoneyText } from "#components/money/money.tsx";
import { cn } from "#components/ui/cn.ts";
import { KeyMark } from "#components/ui/meter.tsx";

type StackedBarsChartProps = {
	input: BarsInput;
	/** "Owned and cloud spend by day": its name for screen readers, and the caption of its table. */
	label: string;
	height?: number;
	firstWidth?: number;
	/** "14:32, then forecast": beside the line at which the known ends. */
	nowText?: string;
	/** The bar on which the readout rests; the last one when left out. */
	restIndex?: number;
	/** Where a bar's charges are: behind its values, and where a click on it or Enter leads; null: there are none. */
	chargesOf: (index: number) => string | null;
	/** What a bar is of; days when left out. */
	bucket?: "day" | "week" | "month";
};

const AXIS = {
	usd: formatAxisUsd,
	count: (n: number) => n.toLocaleString("en-US"),
	// Below a kilogram in grams, which its ticks have room for.
	kg: (n: number) => (n === 0 ? "0" : n < 1 ? `${(n * 1_000).toLocaleString("en-US")} g` : `${n.toLocaleString("en-US")} kg`),
};

/** Bars by day, stacked: the flat, known cost below, what varies above it; days to come are pale and carry their range. */
export function StackedBarsChart({
	input,
	label,
	height = 292,
	firstWidth = 760,
	nowText,
	restIndex,
	chargesOf,
	bucket,
}: StackedBarsChartProps) {
	const [ref, width] = useWidth(firstWidth);
	const picture = useMemo(() => prepareBars(input, { width, height }), [input, width, height]);
	const last = Math.max(0, input.bars.length - 1);
	const rest = Math.min(last, restIndex ?? last);
	const readout = useReadout({
		min: 0,
		max: last,
		step: 1,
		rest,
		valueAt: (x, shown) => Math.floor(((x / shown) * width - picture.left) / picture.band),
		say: (index) => sentence(input, index),
		label: `${label}. Left and right arrows read it bar by bar`,
	});
	const reading = readBar(input, readout.current);
	const router = useRouter();
	const href = chargesOf(readout.current);
	const open = (): void => {
		if (href) router.push(href);
	};
	return (
		<div>
			<div className="flex min-h-6 flex-wrap gap-x-3.5 gap-y-1 px-4 pb-1.5 text-xs text-ink-3">
				{reading && (
					<>
						<b className="font-strong text-ink">{reading.label}</b>
						{reading.values.map(({ series, text }) => (
							<span key={series.id} className="tabular inline-flex items-center gap-1.5 whitespace-nowrap">
								<KeyMark fill={series.fill} className="size-2.25" />
								{series.label}{" "}
								<b className="font-strong text-ink">
									<MoneyText text={text} />
								</b>
							</span>
						))}
						{href && (
							<Link href={href} prefetch={false} className="font-strong text-accent hover:underline">
								Charges
							</Link>
						)}
					</>
				)}
			</div>
			<div
				ref={ref}
				{...readout.bind}
				{...{
					onClick: open,
					onKeyDown: (event: KeyboardEvent) => (event.key === "Enter" ? open() : readout.bind.onKeyDown(event)),
				}}
				className={cn("touch-pan-y focus-visible:-outline-offset-2", href && "cursor-pointer")}
			>
				<svg viewBox={`0 0 ${width} ${height}`} width="100%" style={{ height }} aria-hidden className="chart-text mark-exact block">
					<Picture picture={picture} input={input} width={width} nowText={nowText} hover={readout.value} />
				</svg>
			</div>
			<BarsTable input={input} label={label} bucket={bucket} />
		</div>
	);
}

function sentence(input: BarsInput, index: number): string {
	const reading = readBar(input, index);
	if (reading?.values.length === 0) return reading.label;
	return reading ? `${reading.label}: ${reading.values.map(({ series, text }) => `${series.label} ${text}`).join(", ")}` : "nothing";
}

function Picture({
	picture: p,
	input,
	width,
	nowText,
	hover,
}: {
	picture: BarsPicture;
	input: BarsInput;
	width: number;
	nowText: string | undefined;
	hover: number | null;
}) {
	const right = width - p.margin.right;
	const fillOf = new Map(input.series.map((s) => [s.id, s.fill === "owned" ? "var(--owned-area)" : svgFill(s.fill)]));
	return (
		<>
			{hover !== null && (
				<rect
					x={p.left + hover * p.band}
					y={p.margin.top}
					width={p.band}
					height={p.floorY - p.margin.top}
					fill="var(--ink)"
					opacity="0.06"
				/>
			)}
			{p.yTicks.map((tick) => (
				<g key={tick.value}>
					<line
						x1={p.margin.left}
						x2={right}
						y1={px(tick.y)}
						y2={px(tick.y)}
						stroke={tick.value === 0 ? "var(--line-strong)" : "var(--line)"}
						opacity={tick.value === 0 ? 1 : 0.65}
					/>
					{tick.labelled && (
						<text x={p.margin.left - 8} y={tick.y + 4} textAnchor="end">
							{AXIS[input.axis](tick.value)}
						</text>
					)}
				</g>
			))}
			{p.rects.map((r) => (
				<rect
					key={r.id}
					x={px(r.x)}
					y={px(r.y)}
					width={px(r.width)}
					height={px(r.height)}
					fill={fillOf.get(r.seriesId)}
					opacity={r.forecast ? 0.36 : undefined}
				/>
			))}
			{p.whiskers.map((w) => (
				<path key={w.id} d={`M${px(w.x)} ${px(w.y1)}V${px(w.y2)}`} stroke="var(--ink-2)" />
			))}
			{p.xTicks.map((tick) => (
				<text
					key={tick.id}
					x={px(tick.x)}
					y={p.floorY + 18}
					textAnchor="middle"
					style={tick.current ? { fill: "var(--ink)", fontWeight: 600 } : undefined}
				>
					{tick.text}
				</text>
			))}
			{p.nowX !== null && (
				<>
					<line x1={px(p.nowX)} x2={px(p.nowX)} y1={p.margin.top} y2={p.floorY} stroke="var(--ink-2)" strokeDasharray="2 3" />
					{nowText && (
						<text
							x={p.nowX + (p.nowX > right - 130 ? -6 : 6)}
							y={p.margin.top + 6}
							textAnchor={p.nowX > right - 130 ? "end" : "start"}
							className="halo"
						>
							{nowText}
						</text>
					)}
				</>
			)}
			{p.endLabels.map((label) => (
				<g key={label.id}>
					<path d={`M${right + 1} ${px(label.anchorY)}L${right + 8} ${px(label.y)}`} stroke="var(--line-strong)" fill="none" />
					<text x={right + 12} y={label.y + 4} className={cn("chart-label")} style={{ fontSize: 11, fill: "var(--ink-2)" }}>
						{label.text}
					</text>
				</g>
			))}
		</>
	);
}

const BUCKET_WORD = { day: "Day", week: "Week", month: "Month" };

function BarsTable({ input, label, bucket = "day" }: { input: BarsInput; label: string; bucket: "day" | "week" | "month" | undefined }) {
	const rows = tabulateBars(input);
	const ranges = rows.some((row) => row.range !== "");
	return (
		<div className="sr-only">
			<table>
				<caption>{label}</caption>
				<thead>
					<tr>
						<th scope="col">{BUCKET_WORD[bucket]}</th>
						{input.series.map((s) => (
							<th key={s.id} scope="col">
								{s.label}
							</th>
						))}
						{ranges && <th scope="col">Likely in all</th>}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={row.id}>
							<th scope="row">{row.label}</th>
							{input.series.map((s, i) => (
								<td key={s.id}>{row.cells[i]}</td>
							))}
							{ranges && <td>{row.range}</td>}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
