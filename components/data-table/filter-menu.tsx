"use client";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";
import { Menu } from "#components/ui/menu.tsx";

type FilterMenuProps = {
	label: string;
	options: readonly { id: string; label: string }[];
	chosen: readonly string[];
	onChange: (chosen: string[]) => void;
	/** At most one value. */
	single?: boolean;
	/** Shown next to a value while the menu is open, such as its count. */
	hintOf?: (id: string) => ReactNode;
};

/** A list filter: dashed when unset; shows its values and a clear button when set. */
export function FilterMenu({ label, options, chosen, onChange, single = false, hintOf }: FilterMenuProps) {
	const set = chosen.length > 0;
	const words = chosen.map((id) => options.find((o) => o.id === id)?.label ?? id).join(", ");
	const toggle = (id: string) => {
		if (chosen.includes(id)) onChange(chosen.filter((each) => each !== id));
		else onChange(single ? [id] : [...chosen, id]);
	};
	return (
		<span
			className={cn(
				"inline-flex h-7.5 max-w-72 items-center rounded-lg border",
				set ? "border-line-strong bg-panel text-ink" : "border-dashed border-line-strong text-ink-2",
			)}
		>
			<Menu
				name={set ? `${label}: ${words}` : label}
				label={
					<>
						{label} {set && <b className="truncate font-semibold">{words}</b>}
					</>
				}
				caret={false}
				triggerClass="flex h-full min-w-0 items-center gap-1.25 rounded-lg px-2.5 whitespace-nowrap hover:text-ink"
				entries={options.map((o) => ({
					kind: "check",
					id: o.id,
					label: o.label,
					checked: chosen.includes(o.id),
					radio: single,
					...(hintOf && { hint: hintOf(o.id) }),
					onSelect: () => toggle(o.id),
				}))}
			/>
			{set && (
				<button
					type="button"
					onClick={() => onChange([])}
					aria-label={`Clear filter ${label}`}
					className="-ml-1.5 grid h-full w-6.5 place-items-center rounded-r-lg text-ink-3 hover:text-ink"
				>
					<Icon name="x" className="size-3" />
				</button>
			)}
		</span>
	);
}
