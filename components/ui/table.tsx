import type { ComponentProps } from "react";
import { cn } from "#components/ui/cn.ts";

/**
 * A table in a panel for short lists; use DataTable for long ones. `n` marks a numeric column. On phones, rows of <Tr>
 * show two lines: phone="a" (first line, left), "b" (first line, right), "c" and "d" below; other cells are hidden.
 */
type PhoneArea = "a" | "b" | "c" | "d" | "e";

// On the left, a long name wraps instead of overlapping the figure on the right.
const AREA: Record<PhoneArea, string> = {
	a: "max-md:block max-md:[grid-area:1/1] max-md:whitespace-normal max-md:wrap-anywhere",
	b: "max-md:block max-md:text-right max-md:[grid-area:1/2]",
	c: "max-md:block max-md:text-xs max-md:text-ink-3 max-md:[grid-area:2/1] max-md:whitespace-normal max-md:wrap-anywhere",
	d: "max-md:block max-md:text-right max-md:text-xs max-md:text-ink-3 max-md:[grid-area:2/2]",
	e: "max-md:block max-md:[grid-area:3/1/auto/3] max-md:whitespace-normal max-md:wrap-anywhere",
};

/**
 * `stacks` shows rows as two-line entries on phones; otherwise the table scrolls in its panel. Between phone and wide,
 * both scroll if needed so that nothing is cut off.
 */
export function Table({ className, stacks = true, ...rest }: ComponentProps<"table"> & { stacks?: boolean }) {
	const table = (
		<table
			{...rest}
			data-stacks={stacks || undefined}
			className={cn(
				"group/table w-full border-collapse",
				stacks && "max-md:block max-md:[&_tbody]:block max-md:[&_thead]:sr-only",
				className,
			)}
		/>
	);
	return stacks ? (
		<div className="md:overflow-x-auto">{table}</div>
	) : (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
		<section className="overflow-x-auto" tabIndex={0} aria-label={rest["aria-label"] ?? "Table"}>
			{table}
		</section>
	);
}

export function Th({ n = false, className, ...rest }: ComponentProps<"th"> & { n?: boolean }) {
	return (
		<th
			scope="col"
			{...rest}
			className={cn(
				"h-8.5 border-b px-2.5 text-xs font-strong whitespace-nowrap text-ink-3 first:pl-4 last:pr-4",
				n ? "text-right" : "text-left",
				className,
			)}
		/>
	);
}

/** Header of the column with each row's buttons, for screen readers alone. */
export function ThActions() {
	return (
		<Th>
			<span className="sr-only">Actions</span>
		</Th>
	);
}

export function Tr({
	className,
	selected = false,
	faded = false,
	total = false,
	...rest
}: ComponentProps<"tr"> & { selected?: boolean; faded?: boolean; total?: boolean }) {
	return (
		<tr
			{...rest}
			className={cn(
				"group/row [&>*]:hairline-b last:[&>*]:border-b-0 max-md:group-data-stacks/table:grid max-md:group-data-stacks/table:grid-cols-[minmax(0,1fr)_auto] max-md:group-data-stacks/table:gap-x-3.5 max-md:group-data-stacks/table:gap-y-px max-md:group-data-stacks/table:hairline-b max-md:group-data-stacks/table:px-4 max-md:group-data-stacks/table:py-2.25 max-md:last:border-b-0",
				selected ? "bg-[color-mix(in_oklab,var(--accent)_7%,var(--panel))]" : "[tbody>&]:hover:bg-sunken",
				faded && "text-ink-2",
				total && "font-semibold [&>*]:border-t [&>*]:border-t-line-strong",
				className,
			)}
		/>
	);
}

export function Td({ n = false, phone, className, ...rest }: ComponentProps<"td"> & { n?: boolean; phone?: PhoneArea }) {
	return (
		<td
			{...rest}
			className={cn(
				"h-9.5 px-2.5 whitespace-nowrap first:pl-4 last:pr-4 max-md:group-data-stacks/table:h-auto max-md:group-data-stacks/table:border-0! max-md:group-data-stacks/table:p-0!",
				n && "num",
				phone ? AREA[phone] : "max-md:group-data-stacks/table:hidden",
				className,
			)}
		/>
	);
}
