import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

export interface HourHeatRow {
	id: string;
	/** What the row is of; its width on a phone and its indent. */
	head: { name: ReactNode; className: string };
	/** One for each hour, in their order. */
	cells: HourHeatCell[];
	mean: string;
}

export interface HourHeatCell {
	id: string;
	text: string;
	/** For who listens, and for who hovers. */
	said: string;
	/** The hour that is running. */
	now: boolean;
	/** How much of the colour is mixed in, percent; null: no ground at all. */
	percent: number | null;
	/** The colour of the figure, and what else tells it from the others. */
	className: string;
}

type HourHeatTableProps = {
	title: string;
	caption: string;
	/** What stands in the rows' heads, for who listens. */
	rowLabel: string;
	/** A CSS colour, `var(--owned)`. */
	color: string;
	hours: readonly string[];
	rows: readonly HourHeatRow[];
	/** A phone has room for eight hours: which, by their index. */
	onPhone: (hour: number) => boolean;
};

/** Hours as columns, each figure on a ground as strong as it is large: a table that is coloured, so that it is read by everybody. */
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
							mean
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
