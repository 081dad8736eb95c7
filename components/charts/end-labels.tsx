"use client";
import { usePlotArea, useYAxisScale } from "recharts";
import { spreadLabels } from "#components/charts/scale.ts";

export interface EndLabel {
	id: string;
	/** Position on the value axis. */
	value: number;
	text: string;
	/** Muted figure after the text. */
	figure?: string;
	over?: boolean;
	strong?: boolean;
}

/** Labels at the right edge of a Recharts chart, kept apart, with a leader line to their value. */
export function EndLabels({ labels, leaders = false }: { labels: readonly EndLabel[]; leaders?: boolean }) {
	const plot = usePlotArea();
	const scale = useYAxisScale();
	if (!plot || !scale) return null;
	const anchors = labels.map((label) => scale(label.value) ?? 0);
	const ys = spreadLabels(anchors, 15, plot.y, plot.y + plot.height - 4);
	const right = plot.x + plot.width;
	return labels.map((label, i) => (
		<g key={label.id}>
			{leaders && <path d={`M${right + 1} ${anchors[i]}L${right + 8} ${ys[i]}`} stroke="var(--line-strong)" fill="none" />}
			<text
				x={right + (leaders ? 12 : 9)}
				y={(ys[i] ?? 0) + 4}
				className="chart-label"
				style={leaders || label.over !== undefined ? { fontSize: 11, fill: label.over ? "var(--risk-ink)" : "var(--ink-2)" } : undefined}
				fontWeight={label.strong ? 600 : undefined}
			>
				{label.text}
				{label.figure && (
					<tspan fontWeight="450" style={{ fill: "var(--ink-3)" }}>
						{label.text ? " " : ""}
						{label.figure}
					</tspan>
				)}
			</text>
		</g>
	));
}
