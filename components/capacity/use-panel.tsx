"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { prepareUse, type UseRow } from "#components/capacity/prepare-use.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { cn } from "#components/ui/cn.ts";
import { Panel } from "#components/ui/panel.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

const TITLE = "Owned GPUs held, by hour";
const SUB = "last 24 hours, UTC; percent of the hour in which a job of Spillway's held the GPU";

/** How much of what is owned was in use, hour by hour and node by node; a table that is coloured, so that it is read by everybody. */
export function UsePanel() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery({ ...trpc.site.useByHour.queryOptions(), refetchInterval: MINUTE_MS });
	const { hours, rows } = prepareUse(data);
	if (rows.length === 0) return null;
	return (
		<Panel title={TITLE} sub={SUB}>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
			<section className="overflow-x-auto px-4 pb-3" tabIndex={0} aria-label={TITLE}>
				<table className="w-full border-separate border-spacing-0.5 text-xs">
					<caption className="sr-only">
						{TITLE}, {SUB}
					</caption>
					<thead>
						<tr className="text-ink-3">
							<th scope="col" className="text-left font-strong">
								<span className="sr-only">Pool or node</span>
							</th>
							{hours.map((hour, i) => (
								<th key={hour} scope="col" className={cn("h-6 text-center font-strong", phoneHidden(i))}>
									{i === hours.length - 1 ? <b className="text-ink">now</b> : hour}
								</th>
							))}
							<th scope="col" className="pl-3 text-right font-strong">
								mean
							</th>
						</tr>
					</thead>
					<tbody>
						{rows.map((row) => (
							<Row key={row.id} row={row} />
						))}
					</tbody>
				</table>
			</section>
		</Panel>
	);
}

/** A phone has room for the last eight hours. */
const phoneHidden = (index: number): string => (index < 16 ? "max-md:hidden" : "");

function Row({ row }: { row: UseRow }) {
	return (
		<tr>
			<th scope="row" className={cn("max-w-28 truncate pr-2 text-left font-book md:max-w-60 md:min-w-40 md:pr-3", row.isNode && "pl-3")}>
				<span className={row.isNode ? "text-ink-2" : "font-semibold text-ink"}>{row.name}</span>{" "}
				<span className="text-ink-3 max-md:hidden">{row.detail}</span>
			</th>
			{row.cells.map((cell, i) => (
				<td key={cell.id} title={cell.said} className={cn("p-0", phoneHidden(i))}>
					<span
						style={
							cell.share === null
								? undefined
								: { backgroundColor: `color-mix(in oklab, var(--owned) ${Math.round(4 + cell.share * 56)}%, var(--panel))` }
						}
						className={cn(
							"mark-exact tabular grid h-6.5 min-w-6 place-items-center rounded-xs text-[11px] text-ink",
							cell.share === null && "hatch-off text-ink-3",
							cell.now && "outline-1 outline-ink-2",
						)}
					>
						{cell.text}
					</span>
				</td>
			))}
			<td className="num pl-3 font-semibold">{row.mean}</td>
		</tr>
	);
}
