import type { CapacityKind } from "#components/place/place.tsx";
import { formatExact } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";

export type RunAxis = { fromMs: number; toMs: number; deadlineMs?: number | null };

const FILL: Record<CapacityKind, string> = { owned: "bg-owned", on_demand: "bg-cloud", spot: "hatch-spot", reserved: "bg-reserved" };

type RunBarProps = {
	axis: RunAxis;
	startMs: number;
	finishMs: number /** 90th percentile of the forecast finish. */;
	p90Ms?: number | null;
	capacity: CapacityKind /** Excluded by a rule. */;
	faded?: boolean;
	className?: string;
};

/** A candidate's forecast run on the column's shared time axis, with the deadline. The cell needs `relative p-0`. */
export function RunBar({ axis, startMs, finishMs, p90Ms, capacity, faded = false, className }: RunBarProps) {
	const at = (ms: number) => Math.min(100, Math.max(0, ((ms - axis.fromMs) / (axis.toMs - axis.fromMs || 1)) * 100));
	const end = p90Ms ?? finishMs;
	const off = end > axis.toMs;
	const words = `Runs ${formatExact(startMs)} to ${formatExact(finishMs)}${p90Ms ? `, worst case (9 in 10) ${formatExact(p90Ms)}` : ""}`;
	return (
		<span role="img" aria-label={words} title={words} className={cn("mark-exact absolute inset-0 block", className)}>
			{axis.deadlineMs && axis.deadlineMs <= axis.toMs && (
				<span className="absolute top-0 -bottom-px border-l border-risk opacity-75" style={{ left: `${at(axis.deadlineMs)}%` }} />
			)}
			<span
				className={cn("absolute top-1/2 -mt-1.25 h-2.5 min-w-0.5 rounded-xs", FILL[capacity], faded && "opacity-45")}
				style={{ left: `${at(startMs)}%`, width: `${at(finishMs) - at(startMs)}%` }}
			/>
			{end > finishMs && (
				<span
					className={cn("absolute top-1/2 -mt-px border-t-2 border-ink-3", faded && "opacity-70")}
					style={{ left: `${at(finishMs)}%`, width: `${at(end) - at(finishMs)}%` }}
				/>
			)}
			{off ? (
				<span className="absolute top-1/2 right-0 -mt-2.5 leading-none text-ink-3">›</span>
			) : (
				end > finishMs && <span className="absolute top-1/2 -mt-1 h-2 border-l-2 border-ink-3" style={{ left: `${at(end)}%` }} />
			)}
		</span>
	);
}
