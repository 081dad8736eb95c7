"use client";
import { linear, niceTicks, px, timeTicks } from "#components/charts/scale.ts";
import { useWidth } from "#components/charts/use-width.ts";

/** An average with its spread. null: nothing ran, or nothing was measured. */
export type BandPoint = { atMs: number; value: number | null; low?: number; high?: number };

type LineBandProps = {
	title: string;
	points: readonly BandPoint[];
	fromMs: number;
	toMs: number;
	/** Upper end of the axis, such as 100 for percent; from the data when left out. */
	max?: number;
	unit: string;
	color?: "owned" | "cloud" | "ink";
	/** The last value, formatted, at the right end. */
	lastText?: string;
	/** Words inside gaps: "moving". */
	gaps?: readonly { atMs: number; text: string }[];
	height?: number;
	firstWidth?: number;
};

const COLOR = { owned: "var(--owned)", cloud: "var(--cloud)", ink: "var(--ink-2)" };

/** A measured line over its lowest-to-highest band, for GPU utilisation, power, loss and the like. */
export function LineBand({
	title,
	points,
	fromMs,
	toMs,
	max,
	unit,
	color = "cloud",
	lastText,
	gaps = [],
	height = 180,
	firstWidth = 380,
}: LineBandProps) {
	const [ref, width] = useWidth(firstWidth);
	const right = lastText ? 60 : 8;
	const top = 24;
	const ticks = max === undefined ? niceTicks(Math.max(0, ...points.map((p) => p.high ?? p.value ?? 0)), 3) : [0, max / 2, max];
	const ceiling = ticks.at(-1) ?? 1;
	const tickText = (v: number) => `${v.toLocaleString("en-US")}${v > 0 ? unit : ""}`;
	const left = Math.max(...ticks.map((v) => tickText(v).length)) * 7 + 12;
	const x = linear(fromMs, toMs, left, width - right);
	const y = linear(0, ceiling, height - 20, top);
	const clamp = (v: number) => Math.max(0, Math.min(ceiling, v));
	const runs = splitRuns(points);
	const last = points.findLast((p) => p.value !== null);
	return (
		<figure ref={ref} className="m-0">
			<figcaption className="text-xs font-strong">{title}</figcaption>
			<svg
				viewBox={`0 0 ${width} ${height}`}
				width="100%"
				style={{ height }}
				role="img"
				aria-label={`${title}${lastText ? `, now ${lastText}` : ""}`}
				className="chart-text mark-exact block"
			>
				{ticks.map((v) => (
					<g key={v}>
						<line x1={left} x2={width - right} y1={px(y(v))} y2={px(y(v))} stroke="var(--line)" />
						<text x={left - 8} y={y(v) + 4} textAnchor="end">
							{tickText(v)}
						</text>
					</g>
				))}
				{runs.map((run) => (
					<g key={run[0]?.atMs}>
						<path
							d={`M${run.map((p) => `${px(x(p.atMs))} ${px(y(clamp(p.high ?? p.value)))}`).join("L")}L${[...run]
								.reverse()
								.map((p) => `${px(x(p.atMs))} ${px(y(clamp(p.low ?? p.value)))}`)
								.join("L")}Z`}
							fill={COLOR[color]}
							opacity="0.22"
						/>
						<path
							d={`M${run.map((p) => `${px(x(p.atMs))} ${px(y(clamp(p.value)))}`).join("L")}`}
							fill="none"
							stroke={COLOR[color]}
							strokeWidth="1.6"
						/>
					</g>
				))}
				{gaps.map((gap) => (
					<text key={gap.atMs} x={px(x(gap.atMs))} y={y(ceiling * 0.12)} textAnchor="middle">
						{gap.text}
					</text>
				))}
				{lastText && last?.value !== null && last !== undefined && (
					<>
						<text x={width - right + 8} y={y(clamp(last.value)) + 2} className="chart-label">
							{lastText}
						</text>
						<text x={width - right + 8} y={y(clamp(last.value)) + 16}>
							now
						</text>
					</>
				)}
				{timeTicks(fromMs, toMs, Math.max(2, Math.floor(width / 110))).map((tick) => (
					<text key={tick.atMs} x={px(Math.min(width - right - 16, Math.max(left + 12, x(tick.atMs))))} y={height - 4} textAnchor="middle">
						{tick.label}
					</text>
				))}
			</svg>
		</figure>
	);
}

type KnownPoint = { atMs: number; value: number; low?: number; high?: number };

export function splitRuns(points: readonly BandPoint[]): KnownPoint[][] {
	const runs: KnownPoint[][] = [];
	let run: KnownPoint[] = [];
	for (const p of points) {
		if (p.value !== null) run.push({ ...p, value: p.value });
		else if (run.length > 0) {
			runs.push(run);
			run = [];
		}
	}
	if (run.length > 0) runs.push(run);
	return runs;
}
