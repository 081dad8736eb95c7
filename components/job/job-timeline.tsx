"use client";
import { useMemo } from "react";
import { TimelineChart } from "#components/charts/timeline-chart.tsx";
import { formatDay, formatSpan } from "#components/time/format-time.ts";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Panel } from "#components/ui/panel.tsx";
import { sentenceOf } from "#server/domain/sentences.ts";
import { screenFormatters } from "../job-state/reason-text.tsx";
import { overdueCheckpointMs } from "./moment.ts";
import { liveAttempt } from "./outlook.ts";
import { jobTimeline } from "./timeline-input.ts";
import { TimelineScrubber } from "./timeline-scrubber.tsx";
import { useNowFor, useOutlook } from "./use-job.ts";

type JobTimelineProps = {
	job: JobDetail;
	/** The moment that the section below follows, with a cursor to change it. */
	scrub?: { atMs: number | null; onChange: (atMs: number) => void };
};

/** All attempts on one axis. */
export function JobTimeline({ job, scrub }: JobTimelineProps) {
	const nowMs = useNowFor(job);
	const outlook = useOutlook(job, nowMs);
	const input = useMemo(
		() => jobTimeline(job, outlook, nowMs, (a) => (a.reason ? sentenceOf(a.reason, screenFormatters(nowMs)) : "")),
		[job, outlook, nowMs],
	);
	const [from, to] = [formatDay(input.fromMs), formatDay(input.toMs)];
	const waits = liveAttempt(job)?.clusterWait ?? null;
	const unsavedMs = overdueCheckpointMs(job, nowMs);
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
			{unsavedMs !== null && (
				<p role="status" className="px-4 pb-3 font-strong text-warn-ink" suppressHydrationWarning>
					Checkpoint overdue: {formatSpan(unsavedMs)} unsaved, expected every {formatSpan(job.spec.checkpoint?.intervalMs ?? 0)}.
				</p>
			)}
			<div className="px-4 pb-3" suppressHydrationWarning>
				<TimelineChart input={input} {...(scrub ? { cursorMs: scrub.atMs } : {})} />
			</div>
			{scrub && <TimelineScrubber job={job} fromMs={Date.parse(job.submittedAt)} toMs={input.nowMs} {...scrub} />}
		</Panel>
	);
}
