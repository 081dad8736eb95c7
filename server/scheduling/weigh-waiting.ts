import { gpusOf } from "#server/domain/job.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type DueBurst, shouldCompareWaiting } from "./burst.ts";
import type { OfferChoice } from "./choose-offer.ts";
import { type CloudRun, delayMicroUsdPerHourOf, leastScoreFrom, scoreOf } from "./cost.ts";
import { speedOf } from "./home-pool.ts";
import { gramsOf } from "./offers.ts";
import type { QueuedJob } from "./order.ts";
import type { Shape } from "./shape.ts";
import { runSpeedsOf } from "./throughput/run-speeds.ts";
import type { PoolView, Snapshot, TimeSpread } from "./types.ts";

/**
 * Cost of waiting for home, µ$: no cash (owned time is paid for whether used or not), the hours until the P50 start (and the extra hours
 * compared with a machine of speed 1) × the delay weight, and the tonnes of the run × the carbon weight. Unknown carbon counts as zero.
 */
export function homeScore(view: PoolView, queued: QueuedJob, startP50Ms: number, delayMicroUsdPerHour: number, snapshot: Snapshot): number {
	const { carbonMicroUsdPerTonne } = snapshot.policy.weights;
	const watts = view.wattsPerGpu * gpusOf(queued.job.spec);
	const { p50Ms } = queued.rest;
	const runMs = p50Ms / speedOf(view);
	const grams = view.gridGramsPerKwh === null ? 0 : gramsOf(watts, runMs, view.gridGramsPerKwh, view.pue);
	return ((startP50Ms - snapshot.nowMs + runMs - p50Ms) / HOUR_MS) * delayMicroUsdPerHour + (grams / 1e6) * Number(carbonMicroUsdPerTonne);
}

/** Why a job with a due rule still waits: waiting costs no more than the best offer. null: it may leave. */
export function stayReason(given: {
	snapshot: Snapshot;
	queued: QueuedJob;
	run: CloudRun;
	due: DueBurst;
	choice: OfferChoice;
	home: { view: PoolView; range: TimeSpread } | null;
	ahead: number;
}): Reason | null {
	const { snapshot, queued, run, due, choice, home, ahead } = given;
	if (home === null || !shouldCompareWaiting(due, run.delayMicroUsdPerHour)) return null;
	if (choice.kind === "none" || choice.kind === "backed_off" || choice.kind === "waits_for_spot") return null;
	const cloud = choice.kind === "chosen" ? choice.scoreMicroUsd : scoreOf(choice.row, run);
	const waiting = homeScore(home.view, queued, home.range.p50Ms, run.delayMicroUsdPerHour, snapshot);
	if (waiting > cloud) return null;
	return reason("waiting_for_home", {
		startP50Ms: home.range.p50Ms,
		startP90Ms: home.range.p90Ms,
		ahead,
		ruleId: due.ruleId,
		offerId: choice.row.offer.id,
		homeScoreMicroUsd: String(Math.round(waiting)),
		cloudScoreMicroUsd: String(Math.round(cloud)),
	});
}

/** Covers the rounding of plain numbers, µ$. */
const ROUNDING_MICRO_USD = 2;

/**
 * Whether waiting costs less than any offer could, by the lowest price alone. The choice among offers then ends in waiting, whatever
 * it is (stayReason), so a job for which no reason is needed skips it.
 */
export function waitsForAnyOffer(
	snapshot: Snapshot,
	queued: QueuedJob,
	shape: Shape,
	due: DueBurst,
	home: { view: PoolView; p50Ms: number },
): boolean {
	const delayMicroUsdPerHour = delayMicroUsdPerHourOf(shape.verdict, snapshot);
	const lowest = shape.offers().eligible[0];
	if (!lowest || !shouldCompareWaiting(due, delayMicroUsdPerHour)) return false;
	const { spec } = queued.job;
	const speeds = runSpeedsOf(spec, snapshot);
	const run = { start: snapshot.cloudStartMs, rest: queued.rest, instances: spec.nodes, speeds, delayMicroUsdPerHour };
	const waiting = homeScore(home.view, queued, home.p50Ms, delayMicroUsdPerHour, snapshot);
	return waiting + ROUNDING_MICRO_USD <= leastScoreFrom(lowest, run);
}

/**
 * Whether waiting costs no more than any offer at its present rates, available or not. Like waitsForAnyOffer, this settles the choice
 * before it is made. Cost: a score for each offer up to the first with a price that alone is more than waiting.
 */
export function waitsForEveryOffer(
	snapshot: Snapshot,
	queued: QueuedJob,
	run: CloudRun,
	shape: Shape,
	due: DueBurst,
	home: { view: PoolView; p50Ms: number },
): boolean {
	// With known speeds, a trial may be chosen at more than its score (throughput/trial.ts).
	if (run.speeds !== null || !shouldCompareWaiting(due, run.delayMicroUsdPerHour)) return false;
	const waiting = homeScore(home.view, queued, home.p50Ms, run.delayMicroUsdPerHour, snapshot);
	for (const row of shape.offers().eligible) {
		if (leastScoreFrom(row, run) >= waiting + ROUNDING_MICRO_USD) return true;
		if (scoreOf(row, run) < waiting) return false;
	}
	return true;
}
