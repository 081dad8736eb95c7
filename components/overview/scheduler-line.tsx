"use client";
import { useCallback } from "react";
import { schedulerSilence } from "#components/overview/lead.ts";
import { useTime } from "#components/time/clock.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Icon } from "#components/ui/icon.tsx";
import { SECOND_MS } from "#server/kernel/units.ts";

/** Shown only while the scheduler has no heartbeat: effect and remedy. */
export function SchedulerLine() {
	const trpc = useTRPC();
	const { data: summary } = useSuspenseQuery(trpc.overview.summary.queryOptions());
	const late = useTime(useCallback((now: number) => schedulerSilence(summary, now - 2 * SECOND_MS) !== null, [summary]));
	if (!late) return null;
	return (
		<div
			role="alert"
			className="flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-xl border border-[color-mix(in_oklab,var(--warn)_45%,var(--line))] bg-warn-soft px-4 py-2.5"
		>
			<Icon name="alert" className="text-warn-ink" />
			<b className="font-strong">{summary.scheduler ? "Scheduler silent." : "No scheduler has run yet."}</b>
			<span className="text-ink-2">
				{summary.scheduler && (
					<>
						Last heartbeat <Time atMs={summary.scheduler.atMs} />.{" "}
					</>
				)}
				Running jobs continue and machines still expire. No jobs are placed until a scheduler starts.
			</span>
		</div>
	);
}
