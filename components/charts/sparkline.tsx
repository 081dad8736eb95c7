import { px } from "#components/charts/scale.ts";
import { cn } from "#components/ui/cn.ts";
import type { MarkFill } from "#components/ui/meter.tsx";

export type SparkPoint = { atMs: number; value: number | null };

const STROKE: Partial<Record<MarkFill, string>> = {
	owned: "var(--owned)",
	on_demand: "var(--cloud)",
	spot: "var(--cloud)",
	carbon: "var(--carbon)",
	risk: "var(--risk)",
	reserved: "var(--reserved)",
};

type SparklineProps = {
	points: readonly SparkPoint[];
	/** Where the last value ends. */
	toMs: number;
	fill?: MarkFill;
	/** "zero" starts the axis at 0 and fills the area; "range" spans minimum to maximum, for prices. */
	scale?: "zero" | "range";
	/** Upper end of an axis that starts at 0, such as 100 for percentages; defaults to the maximum. */
	most?: number;
	/** Text equivalent with the figures. */
	label: string;
	className?: string;
};

const W = 100;
const H = 20;

/** A small step chart of a value over time. Missing data is a gap. */
export function Sparkline({ points, toMs, fill = "spot", scale = "zero", most: end, label, className }: SparklineProps) {
	const values = points.flatMap((p) => (p.value === null ? [] : [p.value]));
	const fromMs = points[0]?.atMs ?? toMs;
	const least = Math.min(...values);
	const most = end ?? Math.max(...values);
	// A constant price is drawn in the middle.
	const flat = scale === "range" && least === most ? 1 : 0;
	const low = scale === "zero" ? 0 : least - flat;
	const high = Math.max(low + 1e-9, most + flat);
	const pad = scale === "zero" ? 0 : 2;
	const x = (at: number) => ((at - fromMs) / (toMs - fromMs || 1)) * W;
	const y = (value: number) => H - pad - ((value - low) / (high - low)) * (H - 2 * pad - 1);
	let line = "";
	let area = "";
	points.forEach((p, i) => {
		if (p.value === null) return;
		const joined = i > 0 && points[i - 1]?.value !== null;
		const end = x(points[i + 1]?.atMs ?? toMs);
		line += `${joined ? `V${px(y(p.value))}` : `M${px(x(p.atMs))} ${px(y(p.value))}`}H${px(end)}`;
		area += `M${px(x(p.atMs))} ${H}V${px(y(p.value))}H${px(end)}V${H}Z`;
	});
	const last = points.at(-1)?.value;
	const color = STROKE[fill] ?? "var(--ink-2)";
	return (
		<span role="img" aria-label={label} title={label} className={cn("mark-exact relative block", className)}>
			{values.length > 0 && (
				<svg viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" aria-hidden className="block size-full overflow-visible">
					{scale === "zero" && <path d={area} fill={fill === "spot" ? "var(--spot)" : color} opacity={fill === "spot" ? 0.55 : 0.25} />}
					<path d={line} fill="none" stroke={color} strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
				</svg>
			)}
			{scale === "range" && last !== null && last !== undefined && (
				<span
					aria-hidden
					className="absolute -right-0.5 size-1 -translate-y-1/2 rounded-full"
					style={{ background: color, top: `${(y(last) / H) * 100}%` }}
				/>
			)}
		</span>
	);
}
