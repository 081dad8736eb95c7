import { cn } from "#components/ui/cn.ts";

/** GPU slots of a node as squares: used by Spillway, used by others, or free. */
export function SlotRow({ slots, label }: { slots: readonly ("spillway" | "direct" | "free" | "off")[]; label: string }) {
	const look = {
		spillway: "bg-owned",
		direct: "hatch-owned",
		free: "ring-1 ring-inset ring-line-strong",
		off: "hatch-off ring-1 ring-inset ring-line",
	};
	return (
		<span role="img" aria-label={label} title={label} className="mark-exact inline-flex gap-0.5">
			{slots.map((slot, i) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a slot is its number.
				<span key={i} className={cn("h-3.5 w-2 rounded-[1.5px]", look[slot])} />
			))}
		</span>
	);
}
