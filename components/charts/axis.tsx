"use client";
import { usePlotArea, useYAxisTicks } from "recharts";

/** Recharts lays out the whole page for every label of its default ticks and grid, to measure it. These are not measured. */
export const UNMEASURED = { interval: 0, axisLine: false, tickLine: false } as const;

/** Series in the order of the source, without a portal for each layer. */
export const INLINE = { zIndex: 0, isAnimationActive: false } as const;

type TickProps = { x?: number; y?: number; payload?: { value: number } };

/** A label below the horizontal axis. */
export function TimeTick({ x = 0, y = 0, payload, format }: TickProps & { format: (value: number) => string }) {
	return (
		<text x={x} y={y + 10} textAnchor="middle">
			{format(payload?.value ?? 0)}
		</text>
	);
}

/** A label left of the vertical axis. */
export function ValueTick({ x = 0, y = 0, payload, format, strong }: TickProps & { format: (value: number) => string; strong?: number }) {
	const value = payload?.value ?? 0;
	return (
		<text x={x} y={y + 4} textAnchor="end" style={value === strong ? { fontWeight: 620, fill: "var(--ink)" } : undefined}>
			{format(value)}
		</text>
	);
}

/** Horizontal lines at the ticks of the vertical axis. */
export function Grid({ opacity = 0.65 }: { opacity?: number }) {
	const plot = usePlotArea();
	const ticks = useYAxisTicks();
	if (!plot || !ticks) return null;
	const d = ticks.map(({ coordinate }) => `M${plot.x} ${coordinate}h${plot.width}`).join("");
	return <path d={d} stroke="var(--line)" strokeOpacity={opacity} />;
}
