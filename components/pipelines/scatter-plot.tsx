"use client";
import { useWidth } from "#components/charts/use-width.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { formatThreeDigits } from "#components/ui/format-number.ts";
import { prepareScatter } from "./prepare-scatter.ts";

type Trial = Outputs["pipeline"]["trials"]["items"][number];

const HEIGHT = 220;
const INSET = { left: 56, right: 16, top: 12, bottom: 28 };

/** Best value of each trial over one parameter. Points without a value are left out. */
export function ScatterPlot({
	trials,
	axis,
	best,
	metric,
}: {
	trials: readonly Trial[];
	axis: string | null;
	best: number | null;
	metric: string;
}) {
	const [ref, width] = useWidth(640);
	const { points, xTicks, yTicks } = prepareScatter(trials, axis);
	const inner = { width: Math.max(0, width - INSET.left - INSET.right), height: HEIGHT - INSET.top - INSET.bottom };
	const x = (share: number): number => INSET.left + share * inner.width;
	const y = (share: number): number => INSET.top + (1 - share) * inner.height;
	if (points.length === 0) return <p className="px-4 pb-4 text-ink-2">No values yet. Name the metric under metrics of the job.</p>;
	return (
		<div ref={ref} className="px-4 pb-3">
			<svg width={width} height={HEIGHT} role="img" aria-label={`${metric} of ${points.length} trials against ${axis ?? "trial"}`}>
				{yTicks.map(({ share, label }) => (
					<g key={label}>
						<line x1={INSET.left} x2={width - INSET.right} y1={y(share)} y2={y(share)} className="stroke-line" />
						<text x={INSET.left - 8} y={y(share) + 4} textAnchor="end" className="fill-ink-3 text-xs">
							{label}
						</text>
					</g>
				))}
				{xTicks.map(({ share, label }) => (
					<text key={label} x={x(share)} y={HEIGHT - 8} textAnchor="middle" className="fill-ink-3 text-xs">
						{label}
					</text>
				))}
				{points.map((point) => (
					<circle
						key={point.index}
						cx={x(point.x)}
						cy={y(point.y)}
						r={point.index === best ? 6 : 4}
						className={point.index === best ? "fill-ok" : point.isStopped ? "fill-none stroke-ink-3" : "fill-accent"}
					>
						<title>{`${point.name}: ${formatThreeDigits(point.value)}`}</title>
					</circle>
				))}
			</svg>
		</div>
	);
}
