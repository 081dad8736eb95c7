"use client";
import { useMemo } from "react";
import { TimelineChart } from "#components/charts/timeline-chart.tsx";
import { formatDay } from "#components/time/format-time.ts";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Panel } from "#components/ui/panel.tsx";
import { sentenceOf } from "#server/domain/sentences.ts";
import { liveAttempt } from "./outlook.ts";
import { screenFormatters } from "./reason-text.tsx";
import { jobTimeline } from "./timeline-input.ts";
import { useNowFor, useOutlook } from "./use-job.ts";

/** All attempts on one axis. */
export function JobTimeline({ job }: { job: JobDetail }) {
	const nowMs = useNowFor(job);
	const outlook = useOutlook(job, nowMs);
	const input = useMemo(
		() => jobTimeline(job, outlook, nowMs, (a) => (a.reason ? sentenceOf(a.reason, screenFormatters(nowMs)) : "")),
		[job, outlook, nowMs],
	);
	const [from, to] = [formatDay(input.fromMs), formatDay(input.toMs)];
	const waits = liveAttempt(job)?.clusterWait ?? null;
	const staged = job.attemptList.some((a) => a.startedAt !== null || a.stagingAt !== null);
	return (
		<Panel
			title="Timeline"
			sub={`${from === to ? from : `${from} to ${to}`}, UTC`}
			actions={
				staged && (
					<span className="flex flex-wrap items-center gap-x-3.5 gap-y-1 text-xs">
						<span className="inline-flex items-center gap-1.5">
							<span aria-hidden className="mark-exact h-2.25 w-4 rounded-xs border border-cloud bg-cloud-soft" />
							starting, queued at cluster, staging data
						</span>
						{job.checkpoints.length > 0 && (
							<span className="inline-flex items-center gap-1.5">
								<span aria-hidden className="mark-exact size-1.25 rounded-full bg-ink-2" />
								checkpoint
							</span>
						)}
					</span>
				)
			}
		>
			{waits && (
				<p role="status" className="max-w-[90ch] px-4 pb-3 text-pretty text-ink-2 [overflow-wrap:anywhere]">
					{waits.message}
				</p>
			)}
			<div className="px-4 pb-3" suppressHydrationWarning>
				<TimelineChart input={input} />
			</div>
		</Panel>
	);
}
