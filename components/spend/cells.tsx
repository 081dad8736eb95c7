import type { ReactNode } from "react";
import { Money } from "#components/money/money.tsx";
import type { Cell } from "#components/spend/prepare-table.ts";
import { formatChange, formatCount } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";

const LINK =
	"rounded-sm underline-offset-4 hover:text-accent hover:underline max-md:inline-flex max-md:min-h-6 max-md:min-w-6 max-md:items-center";

/** An amount linked to its charges; "none" if there are none. */
export function CellMoney({ cell, what }: { cell: Cell; what: string }) {
	if (cell.microUsd === 0n) return <span className="text-ink-3">none</span>;
	return (
		<Drill href={cell.href} what={what}>
			<Money value={cell.microUsd} />
		</Drill>
	);
}

/** Links a figure to its charges. `what` names the figure for screen readers. */
export function Drill({ href, what, children }: { href: string | null; what: string; children: ReactNode }) {
	return href ? (
		<Link href={href} className={LINK}>
			{children}
			<span className="sr-only"> {what}: charges</span>
		</Link>
	) : (
		children
	);
}

/** "+6%", "≈ −11%"; needs a complete range before. */
export function Change({ value, estimate = false }: { value: number | null; estimate?: boolean }) {
	if (value === null) return <span className="text-ink-3">unknown</span>;
	// A multiple where a percentage would be too long.
	const text = value >= 10 ? `${formatCount(value + 1)}×` : formatChange(value);
	return (
		<span className={estimate ? "text-ink-2" : undefined}>
			{estimate && <span className="text-ink-3">≈ </span>}
			{text}
		</span>
	);
}
