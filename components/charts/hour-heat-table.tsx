import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

export interface HourHeatRow {
	id: string;
	/** Row header; sets its phone width and indent. */
	head: { name: ReactNode; className: string };
	/** One entry per hour, in order. */
	cells: HourHeatCell[];
	mean: string;
}

export interface HourHeatCell {
	id: string;
	text: string;
	/** Screen-reader and hover text. */
	said: string;
	/** The current hour. */
	now: boolean;
	/** Color strength in percent; null for no background. */
	percent: number | null;
	/** Text color and other emphasis. */
	className: string;
}

type HourHeatTableProps = {
	title: string;
	caption: string;
	/** Header of the row column, for screen readers. */
	rowLabel: string;
	/** CSS color, such as `var(--owned)`. */
	color: string;
	hours: readonly string[];
	rows: readonly HourHeatRow[];
	/** Indexes of the eight hours shown on a phone. */
	onPhone: (hour: number) => boolean;
};

/** Heat table with hours as columns: color strength follows the value, and every cell is text. */
export function HourHeatTable({ title, caption, rowLabel, color, hours, rows, onPhone }: HourHeatTableProps) {
	const now = rows[0]?.cells.findIndex((cell) => cell.now) ?? -1;
	const hidden = (hour: number) => (onPhone(hour) ? "" : "max-md:hidden");
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
		<section className="overflow-x-auto px-4 pb-3 max-md:px-3" tabIndex={0} aria-label={title}>
			<table className="w-full border-separate border-spacing-0.5 text-xs">
				<caption className="sr-only">{caption}</caption>
				<thead>
					<tr className="text-ink-3">
						<th scope="col" className="text-left font-strong">
							<span className="sr-only">{rowLabel}</span>
						</th>
						{hours.map((hour, i) => (
							<th key={hour} scope="col" className={cn("h-6 text-center font-strong", hidden(i))}>
								{i === now ? <b className="text-ink">now</b> : hour}
							</th>
						))}
						<th scope="col" className="text-right font-strong md:pl-3">
							average
						</th>
					</tr>
				</thead>
				<tbody>
					{rows.map(({ id, head, cells, mean }) => (
						<tr key={id}>
							<th scope="row" className={cn("truncate pr-1 text-left font-book md:max-w-60 md:min-w-40 md:pr-3", head.className)}>
								{head.name}
							</th>
							{cells.map((cell, i) => (
								<td key={cell.id} title={cell.said} className={cn("p-0", hidden(i))}>
									<Mark cell={cell} color={color} />
								</td>
							))}
							<td className="num font-semibold md:pl-3">{mean}</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function Mark({ cell: { text, now, percent, className }, color }: { cell: HourHeatCell; color: string }) {
	return (
		<span
			style={percent === null ? undefined : { backgroundColor: `color-mix(in oklab, ${color} ${percent}%, var(--panel))` }}
			className={cn(
				"mark-exact tabular grid h-6.5 min-w-5.5 place-items-center rounded-xs text-[11px] md:min-w-6",
				now && "outline-1 outline-ink-2",
				className,
			)}
		>
			{text}
		</span>
	);
}
