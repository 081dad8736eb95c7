import { type Lane, type LaneKind, type LaneSegment, type TimelineInput, timelineBounds } from "#components/charts/timeline.ts";
import { CAPACITY_WORD } from "#components/place/place.tsx";
import { shownPlace } from "#components/place/placement.ts";
import { formatShort, formatSpan } from "#components/time/format-time.ts";
import type { AttemptView, JobDetail } from "#components/trpc/outputs.ts";
import type { CapacityType } from "#server/domain/vocabulary.ts";
import type { Outlook } from "./outlook.ts";

const RUN_KIND: Record<CapacityType, LaneKind> = {
	owned: "run_owned",
	spot: "run_spot",
	on_demand: "run_on_demand",
	reserved: "run_reserved",
};
/** Involuntary ends: work since the last checkpoint is lost. */
const LOST: readonly string[] = ["interrupted", "evicted", "lost"];
const BROKEN: readonly string[] = [...LOST, "failed"];

const ms = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** A job's history on one axis: queue, attempts and forecast. */
export function jobTimeline(job: JobDetail, outlook: Outlook, nowMs: number, sayReason: (a: AttemptView) => string): TimelineInput {
	const endMs = ms(job.finishedAt) ?? nowMs;
	const lanes: Lane[] = [
		queueLane(job, endMs),
		...job.attemptList.map((attempt) => attemptLane(job, attempt, outlook, endMs, sayReason)),
		...forecastLane(job, outlook, nowMs),
	];
	const deadlineMs = ms(job.deadlineAt);
	const deadline = deadlineMs === null ? null : { atMs: deadlineMs, text: `Deadline ${formatShort(deadlineMs, nowMs)}` };
	return {
		...timelineBounds(lanes, endMs, deadlineMs),
		nowMs: endMs,
		nowText: `${job.finishedAt === null ? "Now" : "Ended"} ${formatShort(endMs, nowMs)}`,
		deadline,
		lanes,
	};
}

/** Queued periods: before the first attempt, between attempts, and after the last while not placed. */
function queueLane(job: JobDetail, endMs: number): Lane {
	const segments: LaneSegment[] = [];
	let from: number | null = Date.parse(job.submittedAt);
	for (const attempt of job.attemptList) {
		const placed = Date.parse(attempt.createdAt);
		if (from !== null && placed > from) segments.push({ fromMs: from, toMs: placed, kind: "queue", label: "waiting" });
		from = ms(attempt.finishedAt);
	}
	const waits = job.finishedAt === null || job.attemptList.length === 0;
	if (from !== null && waits && endMs > from) segments.push({ fromMs: from, toMs: endMs, kind: "queue", label: "waiting" });
	const total = segments.reduce((sum, s) => sum + s.toMs - s.fromMs, 0);
	return { id: "queue", title: "Queued", sub: `${formatSpan(total)} total`, segments };
}

function attemptLane(job: JobDetail, attempt: AttemptView, outlook: Outlook, endMs: number, sayReason: (a: AttemptView) => string): Lane {
	const { capacity, provider, region } = shownPlace(attempt.placement);
	const placed = Date.parse(attempt.createdAt);
	const until = ms(attempt.finishedAt) ?? endMs;
	const checkpointsMs = job.checkpoints.filter((c) => c.attemptId === attempt.id).map((c) => Date.parse(c.createdAt));
	const began = ms(attempt.startedAt);
	const ended = attempt.finishedAt !== null;
	const broke = ended && BROKEN.includes(attempt.state);
	return {
		id: attempt.id,
		title: [provider, region, capacity === "owned" ? null : CAPACITY_WORD[capacity]].filter(Boolean).join(" "),
		sub: `attempt ${attempt.number}, ${formatSpan(until - placed)}${ended ? "" : " so far"}`,
		segments: [
			...attemptSegments(attempt, { until, checkpointsMs, hasData: job.spec.data.length > 0 }),
			...(ended || began === null ? [] : expected(attempt, outlook, endMs)),
		],
		checkpointsMs,
		interruption: broke
			? {
					atMs: until,
					title: `${capital(attempt.state)} ${formatShort(until, endMs)}`,
					detail: shorten(sayReason(attempt).replace(/^[A-Z][a-z]+: /, ""), 90),
				}
			: null,
		...(!ended && began !== null && outlook.finish
			? {
					whisker: { toMs: outlook.finish.p90Ms, text: `by ${formatShort(outlook.finish.p90Ms, endMs)} in 9 of 10` },
					endText: `≈ ${formatShort(outlook.finish.p50Ms, endMs)}`,
				}
			: {}),
	};
}

interface LaneFacts {
	until: number;
	checkpointsMs: readonly number[];
	hasData: boolean;
}

function attemptSegments(attempt: AttemptView, { until, checkpointsMs, hasData }: LaneFacts): LaneSegment[] {
	// Such a cluster queues jobs itself.
	const queues = ["slurm", "kubernetes"].includes(attempt.placement.provider);
	const staged = [queues ? "queued at cluster" : null, hasData || !queues ? "staging data" : null].filter(Boolean).join(", ");
	const owned = attempt.placement.capacityType === "owned";
	const staging = owned ? "stage_owned" : "stage";
	const began = ms(attempt.startedAt);
	const copying = ms(attempt.stagingAt);
	const stop = ms(attempt.stopRequestedAt);
	const readyMs = began ?? until;
	const runUntil = stop === null ? until : Math.min(until, stop);
	const segments: LaneSegment[] = [
		{ fromMs: Date.parse(attempt.createdAt), toMs: copying ?? readyMs, kind: staging, label: owned ? "starting" : "machine starting" },
		{ fromMs: copying ?? readyMs, toMs: readyMs, kind: staging, label: staged },
	];
	if (began !== null) {
		const savedMs = LOST.includes(attempt.state) ? Math.max(began, ...checkpointsMs) : runUntil;
		segments.push({ fromMs: began, toMs: savedMs, kind: RUN_KIND[attempt.placement.capacityType], label: "running" });
		segments.push({ fromMs: savedMs, toMs: runUntil, kind: "lost", label: "lost work" });
	}
	if (stop !== null) segments.push({ fromMs: stop, toMs: until, kind: "stopping", label: "stopping" });
	return segments.filter((s) => s.toMs > s.fromMs);
}

function expected(attempt: AttemptView, outlook: Outlook, nowMs: number): LaneSegment[] {
	if (!outlook.finish || outlook.finish.p50Ms <= nowMs) return [];
	const kind = attempt.placement.capacityType === "owned" ? "forecast_owned" : "forecast_cloud";
	return [{ fromMs: nowMs, toMs: outlook.finish.p50Ms, kind, label: "forecast" }];
}

/** Forecast owned run of a queued job. */
function forecastLane(job: JobDetail, outlook: Outlook, nowMs: number): Lane[] {
	if (job.finishedAt !== null || job.forecast === null || outlook.finish === null) return [];
	const fromMs = Math.max(nowMs, job.forecast.p50Ms);
	if (outlook.finish.p50Ms <= fromMs) return [];
	return [
		{
			id: "forecast",
			title: "Owned, forecast",
			sub: `from ≈ ${formatShort(fromMs, nowMs)}`,
			segments: [{ fromMs, toMs: outlook.finish.p50Ms, kind: "forecast_owned", label: "forecast on owned GPUs" }],
			whisker: { toMs: outlook.finish.p90Ms, text: `by ${formatShort(outlook.finish.p90Ms, nowMs)} in 9 of 10` },
			endText: `≈ ${formatShort(outlook.finish.p50Ms, nowMs)}`,
		},
	];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text);
