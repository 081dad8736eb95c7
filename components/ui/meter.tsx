import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

export type MarkFill =
	| "owned"
	| "owned_direct"
	| "on_demand"
	| "spot"
	| "spot_alt"
	| "reserved"
	| "idle"
	| "carbon"
	| "carbon_soft"
	| "embodied"
	| "risk"
	| "lost"
	| "warn"
	| "accent"
	| "ink"
	| "held"
	| "none";

/** Background of a fill, shared by bars, keys, swatches and meters. Charts use `svgFill` of charts/patterns. */
export const FILL_CLASS: Record<MarkFill, string> = {
	owned: "bg-owned",
	owned_direct: "hatch-owned",
	on_demand: "bg-cloud",
	spot: "hatch-spot",
	spot_alt: "hatch-spot-b",
	reserved: "bg-reserved",
	idle: "bg-idle",
	carbon: "bg-carbon",
	carbon_soft: "bg-[color-mix(in_oklab,var(--carbon)_42%,var(--panel))]",
	embodied: "hatch-carbon",
	risk: "bg-risk",
	lost: "hatch-lost",
	warn: "bg-warn",
	accent: "bg-accent",
	ink: "bg-ink-3",
	held: "bg-[color-mix(in_oklab,var(--cloud)_38%,var(--panel))]",
	none: "bg-transparent ring-1 ring-inset ring-line-strong",
};

type MeterProps = { value: number; max: number; label: string; fill?: MarkFill; className?: string };

/** A usage meter. `label` describes it with its figures. */
export function Meter({ value, max, label, fill = "ink", className }: MeterProps) {
	const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
	return (
		<span
			role="img"
			aria-label={label}
			title={label}
			className={cn("mark-exact block h-1.5 w-full overflow-hidden rounded-[3px] bg-line", className)}
		>
			<span className={cn("block h-full rounded-[3px]", FILL_CLASS[fill])} style={{ width: `${share * 100}%` }} />
		</span>
	);
}

export type BarPart = { id: string; value: number; fill: MarkFill; label: string };

/** Parts of a whole in one bar. `width` (0 to 1) scales the bar so that rows of a table compare. */
export function ShareBar({
	parts,
	width = 1,
	label,
	gap = true,
	className,
}: {
	parts: readonly BarPart[];
	width?: number;
	label: string;
	gap?: boolean;
	className?: string;
}) {
	return (
		<span
			role="img"
			aria-label={label}
			style={{ width: `${Math.max(0, Math.min(1, width)) * 100}%` }}
			className={cn("mark-exact flex h-3", gap && "gap-px", className)}
		>
			{parts
				.filter((part) => part.value > 0)
				.map((part) => (
					<span
						key={part.id}
						title={part.label}
						style={{ flexGrow: part.value, flexBasis: 0 }}
						className={cn("h-full min-w-px", FILL_CLASS[part.fill])}
					/>
				))}
		</span>
	);
}

type BudgetBarProps = {
	/** In any one unit. `cap` is the limit; null if none. */
	posted: number;
	held: number;
	cap: number | null;
	forecast?: { low: number; middle: number; high: number };
	label: string;
	className?: string;
};

/** Posted solid, held lighter, the forecast range with its median, and the cap as a line. */
export function BudgetBar({ posted, held, cap, forecast, label, className }: BudgetBarProps) {
	const end = Math.max(posted + held, forecast?.high ?? 0, cap ?? 0) * 1.03 || 1;
	const at = (value: number) => `${(Math.max(0, value) / end) * 100}%`;
	return (
		<span
			role="img"
			aria-label={label}
			title={label}
			className={cn("mark-exact relative block h-2.5 rounded-xs bg-sunken ring-1 ring-inset ring-line", className)}
		>
			<span className="absolute inset-y-0 left-0 rounded-l-xs bg-cloud" style={{ width: at(posted) }} />
			<span className={cn("absolute inset-y-0", FILL_CLASS.held)} style={{ left: at(posted), width: at(held) }} />
			{forecast && (
				<>
					<span
						className="absolute inset-y-0 bg-[color-mix(in_oklab,var(--ink-3)_28%,transparent)]"
						style={{ left: at(forecast.low), width: at(forecast.high - forecast.low) }}
					/>
					<span className="absolute inset-y-0 border-l-2 border-dashed border-ink-2" style={{ left: at(forecast.middle) }} />
				</>
			)}
			{cap !== null && <span className="absolute -inset-y-0.75 w-0.5 rounded-full bg-ink" style={{ left: at(cap) }} />}
		</span>
	);
}

/** A small swatch for keys and legends. */
export function KeyMark({ fill, className }: { fill: MarkFill | "waiting"; className?: string }) {
	return (
		<span
			aria-hidden
			className={cn(
				"mark-exact inline-block size-2.5 flex-none rounded-xs",
				fill === "waiting" ? "border border-dashed border-ink-3 bg-[color-mix(in_oklab,var(--ink-3)_10%,transparent)]" : FILL_CLASS[fill],
				className,
			)}
		/>
	);
}

export function KeyItem({ fill, children, className }: { fill: MarkFill | "waiting"; children: ReactNode; className?: string }) {
	return (
		<span className={cn("inline-flex items-center gap-1.75 whitespace-nowrap", className)}>
			<KeyMark fill={fill} />
			{children}
		</span>
	);
}

/** Nodes or slots side by side, each filled by its use. */
export function NodeBar({
	nodes,
	label,
	className,
}: {
	nodes: readonly { id: string /** 0 to 1 */; busy: number }[];
	label: string;
	className?: string;
}) {
	return (
		<span role="img" aria-label={label} title={label} className={cn("mark-exact flex h-2.5 gap-0.75", className)}>
			{nodes.map((node) => (
				<span
					key={node.id}
					style={{ "--p": `${Math.round(node.busy * 100)}%` } as React.CSSProperties}
					className="min-w-0.5 flex-1 rounded-xs bg-[linear-gradient(90deg,var(--owned)_var(--p),var(--idle)_var(--p))]"
				/>
			))}
		</span>
	);
}

/** A forecast range from 0: the tick is the median, the bar ends at the 90th percentile. */
export function RangeTrack({
	middle,
	high,
	max,
	label,
	className,
}: {
	middle: number;
	high: number;
	max: number;
	label: string;
	className?: string;
}) {
	const at = (value: number) => `${Math.min(100, Math.max(0, (value / (max || 1)) * 100))}%`;
	return (
		<span
			role="img"
			aria-label={label}
			title={label}
			className={cn("mark-exact relative block h-2.5 rounded-xs bg-sunken ring-1 ring-inset ring-line", className)}
		>
			<span
				className="absolute inset-y-0 bg-[color-mix(in_oklab,var(--ink-3)_35%,transparent)]"
				style={{ left: at(middle), right: `calc(100% - ${at(high)})` }}
			/>
			<span className="absolute -inset-y-0.75 w-0.5 rounded-full bg-ink" style={{ left: at(middle) }} />
		</span>
	);
}
