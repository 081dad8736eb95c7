"use client";
import { useCallback } from "react";
import { useTime } from "#components/time/clock.tsx";
import { formatShort } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { cn } from "#components/ui/cn.ts";
import { Panel } from "#components/ui/panel.tsx";
import { type GanttRow, ganttOf } from "./prepare-gantt.ts";

type Detail = Outputs["pipeline"]["get"];

const ROWS_MAX = 100;
const TICK_MS = 1_000;

/** Actual times of each step, next to the forecast at submission. */
export function GanttPanel({ detail }: { detail: Detail }) {
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / TICK_MS) * TICK_MS, []));
	const steps = detail.stepList.slice(0, ROWS_MAX);
	const submittedAtMs = Date.parse(detail.submittedAt);
	const { rows, fromMs, untilMs } = ganttOf(steps, detail.quote?.stepList.slice(0, ROWS_MAX) ?? [], { submittedAtMs, nowMs });
	const sub = steps.length < detail.stepList.length ? `first ${ROWS_MAX} steps` : "against the forecast at submission";
	return (
		<Panel title="Time" sub={sub}>
			<div className="grid gap-1.5 px-4 pb-3">
				{rows.map((row) => (
					<Row key={row.name} row={row} />
				))}
				<div
					className="grid grid-cols-[7rem_minmax(0,1fr)] gap-3 text-xs text-ink-3 md:grid-cols-[11rem_minmax(0,1fr)]"
					suppressHydrationWarning
				>
					<span />
					<span className="flex justify-between">
						<span>{formatShort(fromMs, nowMs)}</span>
						<span>{formatShort(untilMs, nowMs)}</span>
					</span>
				</div>
				<p className="flex flex-wrap gap-x-4 text-xs text-ink-3">
					<span>
						<i className="mr-1.5 inline-block h-2 w-4 rounded-sm bg-accent" />
						run
					</span>
					{detail.quote && (
						<span>
							<i className="mr-1.5 inline-block h-2 w-4 rounded-sm border border-ink-3" />
							forecast, with its P90 as a line
						</span>
					)}
				</p>
			</div>
		</Panel>
	);
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

function Row({ row: { name, actual, forecast, isCritical } }: { row: GanttRow }) {
	return (
		<div className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-3 md:grid-cols-[11rem_minmax(0,1fr)]">
			<span className={cn("truncate text-xs", isCritical && "font-semibold")}>{name}</span>
			<div className="relative h-5 rounded bg-sunken" suppressHydrationWarning>
				{forecast && (
					<>
						<span
							className="absolute inset-y-0.5 rounded-sm border border-ink-3"
							style={{ left: percent(forecast.left), width: percent(forecast.width) }}
						/>
						<span className="absolute inset-y-0 w-px bg-ink-3" style={{ left: percent(Math.min(0.999, forecast.late)) }} />
					</>
				)}
				{actual && (
					<span
						className="absolute inset-y-1 min-w-0.5 rounded-sm bg-accent"
						style={{ left: percent(actual.left), width: percent(actual.width) }}
						suppressHydrationWarning
					/>
				)}
			</div>
		</div>
	);
}
