"use client";
import { type DistributionInput, prepareDistribution } from "#components/charts/distribution.ts";
import { svgFill } from "#components/charts/patterns.tsx";
import { useWidth } from "#components/charts/use-width.ts";
import { formatClock } from "#components/time/format-time.ts";

/** When each way would finish, as shapes over one axis, with what would be late hatched red. */
export function DistributionChart({
	input,
	height = 150,
	firstWidth = 360,
}: {
	input: DistributionInput;
	height?: number;
	firstWidth?: number;
}) {
	const [ref, width] = useWidth(firstWidth);
	if (input.ways.every((way) => way.sortedMs.length === 0)) return null;
	const p = prepareDistribution(input, { width, height });
	const of100 = (n: number) => (n > 0 && n < 1 ? "under 1" : Math.round(n));
	const words = p.curves.map((c) => `${c.label}: ${input.deadlineMs ? `${of100(c.lateOf100)} of 100 late` : "no deadline"}`).join("; ");
	return (
		<div ref={ref}>
			<svg
				viewBox={`0 0 ${width} ${height}`}
				width="100%"
				style={{ height }}
				role="img"
				aria-label={`When it would finish. ${words}`}
				className="chart-text mark-exact block"
			>
				{p.curves.map((c) => (
					<g key={c.id}>
						<path d={c.area} fill={`var(--${c.place})`} opacity="0.16" />
						<path d={c.line} fill="none" stroke={`var(--${c.place})`} strokeWidth="1.6" />
						<path d={c.late} fill={svgFill("lost")} opacity={c.lateOf100 >= 0.5 ? 1 : 0} />
					</g>
				))}
				<line x1="0" x2={width} y1={p.base} y2={p.base} stroke="var(--line-strong)" />
				{p.deadlineX !== null && input.deadlineMs && (
					<>
						<line x1={p.deadlineX} x2={p.deadlineX} y1="16" y2={p.base} stroke="var(--risk)" />
						<text
							x={Math.min(width - 45, Math.max(45, p.deadlineX))}
							y="10"
							textAnchor="middle"
							className="chart-label"
							style={{ fill: "var(--risk-ink)" }}
						>
							Deadline {formatClock(input.deadlineMs)}
						</text>
					</>
				)}
				{p.curves.map((c) => (
					<text
						key={c.id}
						x={Math.min(width - 40, Math.max(40, c.peak.x))}
						y={c.peak.y - 7}
						textAnchor="middle"
						className="chart-label halo"
					>
						{c.label}
					</text>
				))}
				{p.ticks.map((tick) => (
					<text key={tick.atMs} x={Math.min(width - 16, Math.max(16, tick.x))} y={height - 4} textAnchor="middle">
						{tick.label}
					</text>
				))}
			</svg>
		</div>
	);
}
