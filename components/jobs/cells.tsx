"use client";
import { useCallback } from "react";
import { useReasonText } from "#components/job-state/reason-text.tsx";
import { type JobStateName, StateGlyph, StateMark } from "#components/job-state/state-mark.tsx";
import { formatMoneyExact } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { Place } from "#components/place/place.tsx";
import { placeOfOfferId, shownPlace } from "#components/place/placement.ts";
import { useTime } from "#components/time/clock.tsx";
import { Deadline } from "#components/time/deadline.tsx";
import { formatSpan } from "#components/time/format-time.ts";
import { RangeMark } from "#components/time/range-mark.tsx";
import { Elapsed, Time } from "#components/time/relative-time.tsx";
import type { JobView } from "#components/trpc/outputs.ts";
import { estimatedTotal, type HourlyRates, progressOf } from "./estimate.ts";

const ms = (iso: string) => Date.parse(iso);

/** Job status in one word; a live job with a stop request is "stopping". */
export function shownState(job: Pick<JobView, "state" | "cancelRequestedAt" | "finishedAt">): JobStateName | "stopping" {
	return job.cancelRequestedAt !== null && job.finishedAt === null ? "stopping" : job.state;
}

/** Rounded to whole percent to limit re-rendering. */
function useProgress(job: JobView): number | null {
	const percent = useTime(
		useCallback(
			(now: number) => {
				const share = job.state === "running" ? progressOf(job, now) : null;
				return share === null ? null : Math.round(share * 100);
			},
			[job],
		),
	);
	return percent === null ? null : percent / 100;
}

export function JobState({ job }: { job: JobView }) {
	return <StateMark state={shownState(job)} progress={useProgress(job)} />;
}

export function JobGlyph({ job }: { job: JobView }) {
	return <StateGlyph state={shownState(job)} progress={useProgress(job)} />;
}

/** Current or expected location: the offer a queued job waits for, or owned if forecast there. */
export function JobPlace({ job, rates }: { job: JobView; rates: HourlyRates }) {
	// A re-queued job has left its last location.
	const waits = job.state === "queued" || job.state === "held";
	if (job.placement && !waits) return <Place {...shownPlace(job.placement)} would={job.state === "admitted"} />;
	if (job.finishedAt !== null) return <span className="text-ink-3">never placed</span>;
	const offer = placeOfOfferId(job.reason.facts["offerId"]);
	if (offer) return <Place capacity={offer.capacity} provider={offer.provider} region={offer.region} would />;
	if (job.forecast && rates.home) return <Place capacity="owned" provider={rates.home.siteId} would />;
	return <span className="text-ink-3">unknown</span>;
}

export function JobWaited({ job }: { job: JobView }) {
	const until = job.startedAt ?? job.finishedAt;
	return <Elapsed sinceMs={ms(job.submittedAt)} untilMs={until === null ? null : ms(until)} />;
}

/** Start time, end time, or the forecast start as a range on the column's shared axis. */
export function JobStart({ job, axisMs }: { job: JobView; axisMs: number }) {
	if (job.finishedAt !== null) {
		return (
			<span className="text-ink-3">
				ended <Time atMs={ms(job.finishedAt)} form="short" fact={`job/${job.id}/finished`} />
			</span>
		);
	}
	if (job.state === "running" && job.startedAt !== null) {
		return (
			<span className="text-ink-3">
				since <Time atMs={ms(job.startedAt)} form="short" />
			</span>
		);
	}
	if (job.state === "admitted") return <span className="text-ink-3">starting</span>;
	if (job.state === "held" || job.forecast === null) return <WaitingFor job={job} />;
	return <ForecastStart p50Ms={job.forecast.p50Ms} p90Ms={job.forecast.p90Ms} axisMs={axisMs} />;
}

const HOLD_WORDS: Partial<Record<JobView["reason"]["code"], string>> = {
	submitted: "Next in queue",
	waiting_to_burst: "About to burst",
	waiting_no_allowed_offer: "No eligible offer",
	budget_exceeded: "Over budget",
	cap_exceeded: "Over a cap",
	approval_required: "Needs approval",
	waiting_not_approved: "Burst not approved",
	capacity_backoff: "No capacity",
	waiting_for_spot: "No spot capacity",
	held_by_person: "Held",
};

/** Short reasons for a missing start; the full reason is on hover. */
function WaitingFor({ job }: { job: JobView }) {
	const text = useReasonText(job.reason);
	return (
		<span title={text} className={job.state === "held" ? "" : "text-ink-3"}>
			{job.reason.facts["noSites"] === true ? "No sites yet" : (HOLD_WORDS[job.reason.code] ?? text)}
		</span>
	);
}

function ForecastStart({ p50Ms, p90Ms, axisMs }: { p50Ms: number; p90Ms: number; axisMs: number }) {
	const step = axisMs <= 20 * 60_000 ? 1_000 : 15_000;
	const untilP50 = useTime(useCallback((now: number) => Math.max(0, Math.round((p50Ms - now) / step) * step), [p50Ms, step]));
	return (
		<span className="inline-grid grid-cols-[4.25rem_auto] items-center align-middle max-md:block">
			<span className="tabular text-ink-2" suppressHydrationWarning>
				<span className="text-ink-3 md:hidden">starts in </span>
				<span className="text-ink-3">≈ </span>
				{untilP50 > 0 ? formatSpan(untilP50) : "now"}
			</span>
			<RangeMark
				className="max-md:hidden"
				p50Ms={untilP50}
				p90Ms={Math.max(untilP50, untilP50 + p90Ms - p50Ms)}
				axisMs={axisMs}
				place="owned"
			/>
		</span>
	);
}

export function JobCost({ job }: { job: JobView }) {
	if (job.finishedAt !== null || job.costMicroUsd === "0") return null;
	return <Money short value={job.costMicroUsd} fact={`job/${job.id}/cost`} />;
}

export function JobTotal({ job, rates }: { job: JobView; rates: HourlyRates }) {
	if (job.finishedAt !== null) return <Money short value={job.costMicroUsd} fact={`job/${job.id}/cost`} />;
	const total = estimatedTotal(job, rates);
	if (total === null) {
		return (
			<span title="Price or run time unknown" className="text-ink-3">
				–
			</span>
		);
	}
	return (
		<span
			title={`${formatMoneyExact(total)}: ${job.expected ? "cost of earlier attempts, and the forecast of the placing decision" : "hourly owned price × estimated run time"}`}
		>
			<Money short value={total} kind="estimate" fact={`job/${job.id}/total`} />
		</span>
	);
}

/** Deadline slack; for ended jobs whether it was met, or the failure reason. */
export function JobRoom({ job }: { job: JobView }) {
	if (job.state === "failed" || job.state === "cancelled") return <EndReason job={job} />;
	if (job.deadlineAt === null) return <span className="text-ink-3">no deadline</span>;
	const running = job.state === "running" && job.attempts <= 1 && job.startedAt !== null;
	return (
		<Deadline
			deadlineMs={ms(job.deadlineAt)}
			submittedMs={ms(job.submittedAt)}
			remainingMs={Math.max(0, (job.estimateMs ?? 0) - (running ? 0 : job.completedMs))}
			workingSinceMs={running && job.startedAt ? ms(job.startedAt) : null}
			finishedMs={job.finishedAt === null ? null : ms(job.finishedAt)}
		/>
	);
}

function EndReason({ job }: { job: JobView }) {
	const text = useReasonText(job.reason);
	const short = text.replace(/^(Failed|Stopped): (the command )?(ended with )?/, "").replace(/\.$/, "");
	return (
		<span title={text} className="text-ink-2">
			{short.charAt(0).toUpperCase() + short.slice(1)}
		</span>
	);
}
