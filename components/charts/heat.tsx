import { cn } from "#components/ui/cn.ts";

/** One hour of one node: 0 to 1, null when it was not measured, "off" when the node was out of service. */
export type HeatCell = { id: string; value: number | null | "off" /** "hall-b-04, 02:00: 21%" */; label: string };

type HeatRowProps = {
	cells: readonly HeatCell[] /** Values below it are written into their cells, because they are unusual. */;
	writeBelow?: number;
	label: string;
	className?: string;
};

/** A row of a heat map. Unusual values are printed, so that it is read without comparing shades. */
export function HeatRow({ cells, writeBelow = 0.6, label, className }: HeatRowProps) {
	return (
		<span
			role="img"
			aria-label={label}
			style={{ "--n": cells.length } as React.CSSProperties}
			className={cn("mark-exact grid grid-cols-[repeat(var(--n),minmax(0,1fr))] gap-px md:gap-0.5", className)}
		>
			{cells.map((cell) => {
				const value = typeof cell.value === "number" ? Math.min(1, Math.max(0, cell.value)) : null;
				const look =
					cell.value === "off"
						? "hatch-off ring-1 ring-inset ring-line"
						: cell.value === null
							? "bg-transparent ring-1 ring-inset ring-line"
							: "bg-[color-mix(in_oklab,var(--owned)_var(--v),var(--sunken))]";
				return (
					<span
						key={cell.id}
						title={cell.label}
						style={value === null ? undefined : ({ "--v": `${Math.max(4, Math.round(value * 100))}%` } as React.CSSProperties)}
						className={cn("h-6 overflow-hidden rounded-xs text-center text-[10.5px] leading-6 font-medium max-md:text-[0px]", look)}
					>
						{value !== null && value < writeBelow ? Math.round(value * 100) : ""}
					</span>
				);
			})}
		</span>
	);
}

/** The hours (or whatever the columns are) over a heat map; empty labels keep their place. */
export function HeatAxis({ labels, className }: { labels: readonly { id: string; text: string }[]; className?: string }) {
	return (
		<span
			aria-hidden
			style={{ "--n": labels.length } as React.CSSProperties}
			className={cn("tabular grid grid-cols-[repeat(var(--n),minmax(0,1fr))] gap-px text-2xs leading-6 text-ink-3 md:gap-0.5", className)}
		>
			{labels.map((label) => (
				<span key={label.id} className="w-0 whitespace-nowrap">
					{label.text}
				</span>
			))}
		</span>
	);
}

export function HeatScale({ note }: { note?: string }) {
	return (
		<span className="inline-flex items-center gap-2 text-xs text-ink-3">
			0%
			<span aria-hidden className="mark-exact flex gap-0.5">
				{[4, 25, 50, 75, 100].map((v) => (
					<span
						key={v}
						style={{ "--v": `${v}%` } as React.CSSProperties}
						className="h-2.5 w-4 bg-[color-mix(in_oklab,var(--owned)_var(--v),var(--sunken))]"
					/>
				))}
			</span>
			100%
			{note && <span className="max-md:hidden">{note}</span>}
		</span>
	);
}

/** Slots of a node, one square a GPU: taken by Spillway, taken by others, or free. */
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
