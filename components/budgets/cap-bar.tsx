import type { CapBarInput } from "#components/budgets/prepare-rows.ts";
import { cn } from "#components/ui/cn.ts";
import { FILL_CLASS } from "#components/ui/meter.tsx";

/** The cap spans 80% of the width to leave room for overruns; all bars in a table share the scale. */
const CAP_AT = 80;
const at = (share: number) => `${Math.min(100, Math.max(0, share) * CAP_AT)}%`;

/** Posted is solid, held is lighter with an outline, the forecast is a tick with its range, the cap a line. */
export function CapBar({ bar, label, className }: { bar: CapBarInput; label: string; className?: string }) {
	const spent = Math.max(0, bar.posted) + bar.held;
	const f = bar.forecast;
	return (
		<span role="img" aria-label={label} title={label} className={cn("mark-exact relative block h-5 min-w-24", className)}>
			<span className="absolute inset-y-1.5 left-0 bg-sunken ring-1 ring-inset ring-line" style={{ width: at(1) }} />
			<span className="absolute inset-y-1.5 left-0 bg-cloud" style={{ width: at(bar.posted) }} />
			{bar.held > 0 && (
				<span
					className={cn("absolute inset-y-1.5 border border-cloud", FILL_CLASS.held)}
					style={{ left: at(bar.posted), width: `calc(${at(spent)} - ${at(bar.posted)})` }}
				/>
			)}
			{spent > 1 && <span className="absolute inset-y-1.5 hatch-lost" style={{ left: at(1), width: `calc(${at(spent)} - ${at(1)})` }} />}
			{f && (
				<>
					<span className="absolute top-1/2 h-px bg-ink-2" style={{ left: at(f.low), width: `calc(${at(f.high)} - ${at(f.low)})` }} />
					<span className={cn("absolute inset-y-0.5 w-0.5", f.middle > 1 ? "bg-risk" : "bg-ink")} style={{ left: at(f.middle) }} />
				</>
			)}
			<span className="absolute inset-y-1 w-px bg-ink-3" style={{ left: at(1) }} />
		</span>
	);
}
