"use client";
import { useCallback } from "react";
import { schedulerSilence } from "#components/overview/lead.ts";
import { useTime } from "#components/time/clock.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Icon } from "#components/ui/icon.tsx";
import { SECOND_MS } from "#server/kernel/units.ts";

/** Shown only while the scheduler gives no sign of life: what that means, and what to do. */
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
			<b className="font-strong">{summary.scheduler ? "The scheduler is silent." : "No scheduler has run yet."}</b>
			<span className="text-ink-2">
				{summary.scheduler && (
					<>
						Last sign of life <Time atMs={summary.scheduler.atMs} />.{" "}
					</>
				)}
				What runs goes on, and machines still end at their limit; nothing new is placed until a scheduler is started.
			</span>
		</div>
	);
}
