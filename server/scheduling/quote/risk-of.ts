import type { Candidate } from "#server/domain/decision.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { cloudRunOf, interruptionsOn } from "../cost.ts";
import { type OfferRow, openOfferBook } from "../offers.ts";
import { makeRunTimeOf, type RunTime, remainingOf } from "../run-time.ts";
import type { PendingJob, Snapshot, TimeSpread } from "../types.ts";
import { logNormalAt, missShare } from "./deadline-risk.ts";

/** The chance that a job misses its deadline at a candidate, 0 to 1; null without a deadline, and where it can never start. */
export type RiskOf = (job: PendingJob, candidate: Candidate) => number | null;

/** Cost: the offers are opened once, and each answer takes deadline-risk's samples. */
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
			workMsAt: workOf(job, total, rest, speed),
			interruptionsPerHour: 0,
			checkpointEveryMs: null,
			changeoverMs: 0,
		};
		const row = offerId === null ? undefined : rowOf(offerId);
		if (!row) return missShare(undisturbed, deadlineMs - nowMs);
		const run = cloudRunOf({ job, rest }, judgeJob(snapshot.policy, job.spec), snapshot);
		const { perHour, changeoverMs } = interruptionsOn(row, run);
		const { instances, checkpointEveryMs } = run;
		return missShare({ ...undisturbed, interruptionsPerHour: perHour * instances, checkpointEveryMs, changeoverMs }, deadlineMs - nowMs);
	};
}

/** By the clock of a place of this speed: from history where it tells a distribution, else by the spread of what is left; never past the maximum. */
function workOf({ spec, completedMs }: PendingJob, { distribution }: RunTime, rest: TimeSpread, speed: number): (share: number) => number {
	const leftMs = (spec.duration.maxMs ?? Number.POSITIVE_INFINITY) - completedMs;
	return (share) => Math.min(leftMs, distribution ? distribution.restAfter(completedMs, share) : logNormalAt(rest, share)) / speed;
}
