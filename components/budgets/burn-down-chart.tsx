"use client";
import dynamic from "next/dynamic";
import { useMemo } from "react";
import { budgetDrill } from "#components/budgets/drill.ts";
import type { BudgetDetail } from "#components/budgets/params.ts";
import { burnDownDays } from "#components/budgets/prepare-burn-down.ts";
import { valueInPlot } from "#components/charts/plot-frame.ts";
import { useReadout } from "#components/charts/use-readout.ts";
import { useWidth } from "#components/charts/use-width.ts";
import { Link } from "#components/ui/link.tsx";

/** Recharts loads after the page, so that it does not count toward the first load. */
const BurnDownPlot = dynamic(() => import("#components/budgets/burn-down-plot.tsx").then((m) => m.BurnDownPlot), { ssr: false });

const HEIGHT = 300;
const NARROW = 520;

/** Remaining budget per day. Readable by pointer, arrow keys, and as a table for screen readers. */
export function BurnDownChart({ budget, nowMs }: { budget: BudgetDetail; nowMs: number | null }) {
	const [ref, width] = useWidth(700);
	const frame = { left: 52, right: width < NARROW ? 14 : 132 };
	const days = useMemo(() => burnDownDays(budget), [budget]);
	const rest = Math.max(0, budget.days.length - 1);
	const say = (index: number) => {
		const day = days[index];
		return day ? `${day.label}: ${day.posted} ${day.estimate ? "forecast" : "posted"}, ${day.left} left` : "nothing";
	};
	const readout = useReadout({
		...{ min: 0, max: Math.max(0, days.length - 1), step: 1, rest, say },
		valueAt: (x, shown) => Math.min(days.length - 1, Math.floor(valueInPlot(x, shown, width, frame, 0, days.length))),
		label: "Remaining budget per day. Use the left and right arrow keys to read each day",
	});
	const read = days[readout.current];
	const spent = (budget.days[readout.current]?.postedMicroUsd ?? 0n) !== 0n;
	const href = read && !read.estimate && spent ? budgetDrill(budget, { day: read.date }) : null;
	return (
		<div>
			<p className="tabular min-h-6 px-4 text-xs text-ink-2">
				{say(readout.current)}{" "}
				{href && (
					<Link href={href} className="ml-2 font-strong text-accent hover:underline">
						Charges
					</Link>
				)}
			</p>
			<div ref={ref} {...readout.bind} className="touch-pan-y focus-visible:-outline-offset-2">
				<div aria-hidden style={{ height: HEIGHT }}>
					<BurnDownPlot {...{ budget, nowMs, width, frame }} height={HEIGHT} />
				</div>
			</div>
			<div className="sr-only">
				<table>
					<caption>Remaining budget per day</caption>
					<thead>
						<tr>
							<th scope="col">Day</th>
							<th scope="col">Posted</th>
							<th scope="col">Remaining</th>
							{days.some((day) => day.estimate) && <th scope="col">Forecast remaining</th>}
						</tr>
					</thead>
					<tbody>
						{days.map((day) => (
							<tr key={day.id}>
								<th scope="row">{day.estimate ? `${day.label}, forecast` : day.label}</th>
								<td>{day.posted}</td>
								<td>{day.left}</td>
								{days.some((other) => other.estimate) && <td>{day.likely}</td>}
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</div>
	);
}
