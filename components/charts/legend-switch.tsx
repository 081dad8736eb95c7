import type { ReactNode } from "react";

/** Shows or hides an overlay of a chart. `mark`: its sample. */
export function LegendSwitch({
	on,
	onToggle,
	mark,
	children,
}: {
	on: boolean;
	onToggle: () => void;
	mark: ReactNode;
	children: ReactNode;
}) {
	return (
		<button
			type="button"
			aria-pressed={on}
			onClick={onToggle}
			className="inline-flex min-h-6 items-center gap-1.5 rounded-md px-1.5 hover:bg-sunken hover:text-ink aria-pressed:text-ink"
		>
			{mark}
			{children}
		</button>
	);
}
