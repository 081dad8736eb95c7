import { LegendSwitch } from "#components/charts/legend-switch.tsx";
import { cn } from "#components/ui/cn.ts";

export type EventsSwitchProps = { count: number; on: boolean; onToggle: () => void };

/** Shows or hides the event markers of a chart. */
export function EventsSwitch({ count, on, onToggle }: EventsSwitchProps) {
	return (
		<LegendSwitch
			on={on}
			onToggle={onToggle}
			mark={<span aria-hidden className={cn("size-2.5 rounded-full border-2", on ? "border-ink" : "border-line-strong")} />}
		>
			Events <span className="tabular text-ink-3">{count}</span>
		</LegendSwitch>
	);
}
