"use client";
import type { ReactNode } from "react";
import { EventsSwitch, type EventsSwitchProps } from "#components/charts/events-switch.tsx";
import { LegendSwitch } from "#components/charts/legend-switch.tsx";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { KeyMark, type MarkFill } from "#components/ui/meter.tsx";

export type LegendEntry = {
	id: string;
	label: string;
	fill: MarkFill;
	/** Filters the screen by this series; null if it cannot. */
	href: string | null;
};

type ChartLegendProps = {
	entries: readonly LegendEntry[];
	hidden: readonly string[];
	onToggle: (id: string) => void;
	/** The overlay of the previous period, and its switch; null without one. */
	previous?: { label: string; on: boolean; onToggle: () => void } | null;
	/** The switch of the event markers; null without any. */
	events?: EventsSwitchProps | null;
	end?: ReactNode;
};

const SWITCH = "inline-grid size-6 place-items-center rounded-md hover:bg-sunken";

/** Series of a chart: the mark hides or shows one, its name filters by it. */
export function ChartLegend({ entries, hidden, onToggle, previous = null, events = null, end }: ChartLegendProps) {
	return (
		<div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 pb-3 text-xs text-ink-2">
			<ul aria-label="Series" className="contents">
				{entries.map(({ id, label, fill, href }) => {
					const shown = !hidden.includes(id);
					return (
						<li key={id} className="inline-flex items-center">
							<button
								type="button"
								aria-pressed={shown}
								aria-label={`Show ${label}`}
								title={shown ? `Hide ${label}` : `Show ${label}`}
								onClick={() => onToggle(id)}
								className={SWITCH}
							>
								<KeyMark fill={fill} className={cn(!shown && "opacity-25")} />
							</button>
							{href ? (
								<Link
									href={href}
									scroll={false}
									title={`Filter by ${label}`}
									className={cn("hover:text-ink hover:underline", !shown && "line-through")}
								>
									{label}
								</Link>
							) : (
								<span className={cn(!shown && "line-through")}>{label}</span>
							)}
						</li>
					);
				})}
			</ul>
			{previous && (
				<LegendSwitch
					on={previous.on}
					onToggle={previous.onToggle}
					mark={<span aria-hidden className={cn("w-4 border-t-2 border-dashed", previous.on ? "border-ink" : "border-line-strong")} />}
				>
					{previous.label}
				</LegendSwitch>
			)}
			{events && <EventsSwitch {...events} />}
			<span className="ml-auto">{end}</span>
		</div>
	);
}
