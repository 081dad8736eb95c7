"use client";
import { Money } from "#components/money/money.tsx";
import { Place } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { formatShort } from "#components/time/format-time.ts";
import { Time } from "#components/time/relative-time.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { liveAttempt } from "./outlook.ts";
import { useNowFor, useOutlook } from "./use-job.ts";

/** Place, finish and cost, visible in every section. */
export function JobStatusBar({ job }: { job: JobDetail }) {
	const nowMs = useNowFor(job);
	const outlook = useOutlook(job, nowMs);
	const ended = job.finishedAt;
	const placement = (liveAttempt(job) ?? (ended === null ? undefined : job.attemptList.at(-1)))?.placement;
	return (
		<dl className="flex items-center gap-4 text-xs whitespace-nowrap text-ink-3 [&_dd]:font-strong [&_dd]:text-ink [&>div]:flex [&>div]:items-center [&>div]:gap-1.5">
			{placement && (
				<div className="max-rail:hidden">
					<dt className="sr-only">Place</dt>
					<dd>
						<Place {...shownPlace(placement)} word={false} />
					</dd>
				</div>
			)}
			<div>
				<dt>{ended === null ? "Finish" : "Ended"}</dt>
				<dd suppressHydrationWarning>
					{ended !== null ? (
						<Time atMs={Date.parse(ended)} form="short" fact={`job/${job.id}/finished`} />
					) : outlook.finish ? (
						`≈ ${formatShort(outlook.finish.p50Ms, nowMs)}`
					) : (
						"unknown"
					)}
				</dd>
			</div>
			<div>
				<dt>Cost</dt>
				<dd>
					<Money value={job.costMicroUsd} fact={`job/${job.id}/cost`} />
					{ended === null && outlook.totalMicroUsd !== null && (
						<span className="font-book text-ink-3">
							{" "}
							of <Money value={outlook.totalMicroUsd} kind="estimate" fact={`job/${job.id}/total`} />
						</span>
					)}
				</dd>
			</div>
		</dl>
	);
}
