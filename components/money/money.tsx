import type { ReactNode } from "react";
import { formatCellParts, formatMoneyExact, formatMoneyParts, type MoneyKind } from "#components/money/format-money.ts";
import { cn } from "#components/ui/cn.ts";
import { factAttributes } from "#components/ui/fact-attributes.ts";

type MoneyProps = {
	/** Micro-dollars: a bigint, or its decimal string from JSON. */
	value: bigint | string;
	kind?: MoneyKind;
	/** Muted suffix, such as "per hour" or "/h". */
	per?: ReactNode;
	/** Shows "+" for positive differences. */
	signed?: boolean;
	/** For narrow table cells: fewer digits, see `formatCellParts`. */
	short?: boolean;
	/** Name of a quantity that other screens also show. */
	fact?: string | undefined;
	className?: string;
};

// Full size in tables, smaller next to a large figure. Amounts below a dollar are only cents and are not muted.
const QUIET = "font-book tracking-normal text-ink-3 [font-size:max(0.68em,min(1em,13px))]";

/** An amount of money; the exact value is on hover. */
export function Money({ value, kind = "posted", per, signed = false, short = false, fact, className }: MoneyProps) {
	const parts = short ? formatCellParts(value, kind) : formatMoneyParts(value, kind);
	const attributes = { ...(fact && factAttributes(fact, value)), title: formatMoneyExact(value) };
	if (parts === null) {
		return (
			<span {...attributes} className={cn("tabular whitespace-nowrap", className)}>
				&lt;$0.001
			</span>
		);
	}
	const { approximate, negative, dollars, cents } = parts;
	return (
		<span {...attributes} className={cn("tabular whitespace-nowrap", approximate && "text-ink-2", className)}>
			{approximate && <span className="font-book text-ink-3">≈ </span>}
			{negative ? "−" : signed ? "+" : ""}${dollars}
			{cents && <span className={cn(kind === "posted" && dollars !== "0" && QUIET)}>{cents}</span>}
			{per && <span className="font-book text-ink-3"> {per}</span>}
		</span>
	);
}

/** A missing price: shown as an error, never as zero. */
export function PriceMissing({ why }: { why: "missing" | "zero" | "stale" }) {
	const text = { missing: "no price", zero: "price of 0", stale: "stale price" }[why];
	return <span className="text-risk-ink font-strong whitespace-nowrap">{text}</span>;
}

/** Preformatted text such as "$145.67" or "≈ $403" with smaller cents. */
export function MoneyText({ text }: { text: string }) {
	const [, lead = text, cents = ""] = /^(.*?\$(?!0\.)[\d,]+)(\.\d+)$/.exec(text) ?? [];
	return (
		<>
			{lead}
			{cents && <span className="font-book text-ink-3">{cents}</span>}
		</>
	);
}
