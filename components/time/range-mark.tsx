import { formatSpan } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";

type RangeMarkProps = {
	/** Milliseconds from the axis start. p10 is optional. */
	p10Ms?: number;
	p50Ms: number;
	p90Ms: number;
	/** The axis shared by all rows of the column. */
	axisMs: number;
	place: "owned" | "cloud";
	className?: string;
};

/** A forecast range on a shared axis: the tick is the median, the bar ends at the 90th percentile. */
export function RangeMark({ p10Ms, p50Ms, p90Ms, axisMs, place, className }: RangeMarkProps) {
	const at = (ms: number) => Math.min(100, Math.max(0, (ms / axisMs) * 100));
	const from = at(p10Ms ?? p50Ms);
	const off = p90Ms > axisMs;
	const words = `median ${formatSpan(p50Ms)}, 9 in 10 within ${formatSpan(p90Ms)}`;
	return (
		<span
			role="img"
			aria-label={words}
			title={words}
			className={cn(
				"mark-exact relative block h-3.5 w-20 border-r bg-[repeating-linear-gradient(90deg,var(--line)_0_1px,transparent_1px_25%)]",
				place === "owned" ? "[--mark:var(--owned)]" : "[--mark:var(--cloud)]",
				className,
			)}
		>
			<span
				className={cn(
					"absolute top-1 h-1.5 min-w-1.5 bg-[color-mix(in_oklab,var(--mark)_42%,var(--panel))]",
					off ? "rounded-l-[3px]" : "rounded-[3px]",
				)}
				style={from < 100 ? { left: `${from}%`, width: `${at(p90Ms) - from}%` } : { right: 0 }}
			/>
			{p50Ms <= axisMs && <span className="absolute top-0.5 h-2.5 w-0.5 bg-(--mark)" style={{ left: `${at(p50Ms)}%` }} />}
		</span>
	);
}

/** Column header of RangeMarks with the axis labels. */
export function RangeAxis({ ticks, className }: { ticks: readonly { share: number; label: string }[]; className?: string }) {
	return (
		<span className={cn("tabular relative block h-3.5 w-20 whitespace-nowrap text-2xs leading-3.5 font-book", className)}>
			{ticks.map((tick) => (
				<span
					key={tick.label}
					className={cn("absolute", tick.share > 0 && (tick.share < 1 ? "-translate-x-1/2" : "-translate-x-full"))}
					style={{ left: `${tick.share * 100}%` }}
				>
					{tick.label}
				</span>
			))}
		</span>
	);
}
