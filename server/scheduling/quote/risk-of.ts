import type { Candidate } from "#server/domain/decision.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { cloudRunOf, interruptionsOn } from "../cost.ts";
import { type OfferRow, openOfferBook } from "../offers.ts";
import { makeRunTimeOf, type RunTime, remainingOf } from "../run-time.ts";
import type { PendingJob, Snapshot, TimeSpread } from "../types.ts";
import { logNormalAt, missShare, normalAt } from "./deadline-risk.ts";

/** The chance that a job misses its deadline at a candidate, 0 to 1. Null without a deadline, or where it can never start. */
export type RiskOf = (job: PendingJob, candidate: Candidate) => number | null;

/** Cost: the offers are opened once, and each result takes deadline-risk's samples. */
export function makeRiskOf(snapshot: Snapshot): RiskOf {
	const runTimeOf = makeRunTimeOf(snapshot.durations);
	let rows: Map<string, OfferRow> | null = null;
	const rowOf = (offerId: string): OfferRow | undefined => {
		rows ??= new Map(openOfferBook(snapshot).rows.map((row) => [row.offer.id, row]));
		return rows.get(offerId);
	};
	return (job, { placement, offerId, removedBy, start, speed = 1 }) => {
		const { deadlineMs, duration } = job.spec;
		if (deadlineMs === null || (placement.capacityType === "owned" && removedBy !== null)) return null;
		const { nowMs } = snapshot;
		const total = runTimeOf(job.spec);
		const rest = remainingOf(total, job.completedMs, duration.maxMs);
		const wait = { p50Ms: Math.max(0, start.p50Ms - nowMs), p90Ms: Math.max(0, start.p90Ms - nowMs) };
		const undisturbed = {
			start: wait,
			workMsAt: workOf(job, total, rest, { speed, logSd: 0 }),
			interruptionsPerHour: 0,
			checkpointEveryMs: null,
			changeoverMs: 0,
		};
		const row = offerId === null ? undefined : rowOf(offerId);
		if (!row) return missShare(undisturbed, deadlineMs - nowMs);
		const run = cloudRunOf({ job, rest }, judgeJob(snapshot.policy, job.spec), snapshot);
		const { perHour, changeoverMs } = interruptionsOn(row, run);
		const { instances, checkpointEveryMs, speeds } = run;
		const known = speeds?.on(row.machine.accelerator);
		const workMsAt = known ? workOf(job, total, rest, { speed: Math.exp(known.logMedian), logSd: known.logSd }) : undisturbed.workMsAt;
		return missShare(
			{ ...undisturbed, workMsAt, interruptionsPerHour: perHour * instances, checkpointEveryMs, changeoverMs },
			deadlineMs - nowMs,
		);
	};
}

/** Speed of the job at a place: the median, and the standard deviation of its logarithm. */
interface Pace {
	speed: number;
	logSd: number;
}

const NORMAL_P90 = 1.2816;

/**
 * Wall-clock time at a quantile of runs: from history if it has a distribution, else from the spread of the remaining time; never more than
 * the maximum. An uncertain speed widens it as an independent factor would.
 */
function workOf(
	{ spec, completedMs }: PendingJob,
	{ distribution }: RunTime,
	rest: TimeSpread,
	{ speed, logSd }: Pace,
): (share: number) => number {
	const leftMs = (spec.duration.maxMs ?? Number.POSITIVE_INFINITY) - completedMs;
	const workSd = Math.log(Math.max(1, rest.p90Ms / rest.p50Ms)) / NORMAL_P90;
	const widerSd = Math.hypot(workSd, logSd) - workSd;
	const wider = (share: number): number => (widerSd === 0 ? 1 : Math.exp(widerSd * normalAt(share)));
	return (share) =>
		(Math.min(leftMs, distribution ? distribution.restAfter(completedMs, share) : logNormalAt(rest, share)) * wider(share)) / speed;
}
