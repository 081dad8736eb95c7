import type { Offer } from "#server/domain/capacity.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { cloudRunOf, costTermsOf, leastScoreFrom, scoreOf } from "../cost.ts";
import { restoreMsOf } from "../restore.ts";
import { restOfAttempt, workDoneAt } from "../run-time.ts";
import type { Shape } from "../shape.ts";
import type { Action, MoveTarget, RunningAttempt, Snapshot } from "../types.ts";
import { byAttemptId, costOfRest, delayCostMicroUsd, nextCheckpointOf, restAt } from "./attempt-facts.ts";
import { holdsDeadline } from "./holds-deadline.ts";
import type { Mover } from "./mover.ts";
import { leastSaving, movingRule } from "./moving-rule.ts";
import { type PickedOffer, pickOffer } from "./pick-offer.ts";
import { type ProvenOffers, provenOffersOf } from "./proven-offers.ts";
import { expectedSaving, presenceOn } from "./try-offer.ts";
import type { RunningInput } from "./types.ts";
import { worthSpot } from "./worth-spot.ts";

/**
 * Cloud attempts that continue at a cheaper offer from their next checkpoint.
 *
 * saving = score of the remaining work here − its score there (price, rework by each offer's record, its delay; carbon) − (boot + restore)
 * × (price there + delay weight). If the current offer can no longer be scored: price in effect × P50 remaining − expected cost of
 * finishing there − delay weight × (boot + restore). The old instance ends before the new one is requested, so no hour is paid twice.
 *
 * An offer without our instances may refuse, and then the job restarts where it was. So one attempt at a time tries it (try-offer.ts), and
 * others follow once it is proven. A job with a deadline moves only if its deadline still holds (holds-deadline.ts), and to spot only if
 * the rule for starts allows it (worth-spot.ts).
 * Order: by id, since only reserved offers run out within a plan.
 */
export function moveCheaper(input: RunningInput, candidates: readonly Mover[]): Action[] {
	const proven = input.proven ?? provenOffersOf(input.snapshot.running);
	proven.updateStarted();
	const paying: RunningAttempt[] = [];
	for (const mover of candidates) if (canPayOff(input, mover, proven)) paying.push(mover.attempt);
	const tried = new Set<string>();
	return paying.sort(byAttemptId).flatMap((attempt) => moveOne(input, attempt, (offerId) => proven.has(offerId), tried) ?? []);
}

/**
 * Whether a move to any proven offer could save what a rule requires: exact where the current offer can be scored. Rules moves
 * out without reading offers, money or approvals. Cost: a score for each proven offer up to the first with a price that alone is too
 * high.
 */
function canPayOff({ snapshot }: RunningInput, { attempt, shape, atMs, restMs, hereMicroUsd }: Mover, proven: ProvenOffers): boolean {
	const { spec } = attempt;
	if (hereMicroUsd === null) return false;
	const least = leastSaving(shape.verdict.moves, "cheaper");
	if (hereMicroUsd < least) return false;
	const fit = shape.offers();
	const here = attempt.offerId ? fit.byId(attempt.offerId) : undefined;
	if (!here) return true;
	const rows = proven.candidatesOf(fit, costTermsOf(snapshot));
	if (rows.length === 1 && rows[0] === here) return false;
	const workMs = restMs + restoreMsOf(snapshot);
	const work = { p50Ms: workMs, p90Ms: workMs };
	// Field by field: this runs for every candidate in every cycle, and copying a whole attempt costs more than the result.
	const job = { spec, completedMs: workDoneAt(attempt, atMs), checkpointGiB: attempt.checkpointGiB ?? 0 };
	const run = cloudRunOf({ job, rest: work }, shape.verdict, snapshot);
	const hereScore = scoreOf(here, run);
	const delayMs = run.start.p50Ms + restoreMsOf(snapshot);
	for (const row of rows) {
		if (row === here) continue;
		// No row from here on has a score below this; 1 µ$ covers the rounding of plain numbers.
		if (hereScore - leastScoreFrom(row, run) < least - 1) return false;
		if (savingOn(snapshot, shape, row.offer, spec.nodes, delayMs, hereScore - scoreOf(row, run)) >= least) return true;
	}
	return false;
}

/** Savings of a move to this offer, µ$: the difference between its score and that of staying. */
export function savingOn(
	snapshot: Snapshot,
	shape: Shape,
	offer: Offer,
	nodes: number,
	delayMs: number,
	advantageMicroUsd: number,
): number {
	const goingMicroUsd = (Number(offer.microUsdPerHour ?? 0n) * nodes * delayMs) / HOUR_MS - advantageMicroUsd;
	return Math.floor(-goingMicroUsd - delayCostMicroUsd(snapshot, shape, delayMs));
}

/** Number of offers checked for one attempt before it stays. */
const OFFERS_MAX = 4;

/**
 * Plans the move of one attempt, with all checks of a choice; null for every attempt that canPayOff rules out.
 * @param tried places that another move of this cycle already requests: one attempt finds out whether capacity is available
 */
export function moveOne(
	input: RunningInput,
	attempt: RunningAttempt,
	isProven: (offerId: string) => boolean,
	tried: Set<string> = new Set(),
): Action | null {
	const { snapshot } = input;
	const { nowMs } = snapshot;
	const atMs = nextCheckpointOf(attempt, nowMs);
	if (atMs === null) return null;
	const rest = restAt(restOfAttempt(attempt, nowMs, input.runTimeOf), (atMs - nowMs) * (attempt.speed ?? 1));
	const hereMicroUsd = costOfRest(attempt, rest.p50Ms);
	const { moves } = input.shapeOf(attempt.spec).verdict;
	if (hereMicroUsd === null || !movingRule(moves, "cheaper", hereMicroUsd)) return null;
	const work = { p50Ms: rest.p50Ms + restoreMsOf(snapshot), p90Ms: rest.p90Ms + restoreMsOf(snapshot) };
	const passedOver: string[] = [];
	for (let i = 0; i < OFFERS_MAX; i++) {
		const picked = pickOffer(input, attempt, workDoneAt(attempt, atMs), work, "any", passedOver);
		if (!picked) return null;
		const proven = isProven(picked.offer.id);
		const savingMicroUsd = proven || canTry(input, picked, tried) ? savingAt(input, attempt, picked, hereMicroUsd, proven) : null;
		const rule = savingMicroUsd === null ? null : movingRule(moves, "cheaper", savingMicroUsd);
		if (rule && holdsDeadline(attempt, picked, atMs) && worthSpot(input, attempt, picked, atMs)) {
			picked.take();
			tried.add(placeOf(picked));
			const { jobId, attemptId } = attempt;
			const facts = { ruleId: rule.ruleId, offerId: picked.offer.id, savingMicroUsd: String(savingMicroUsd) };
			const to = { kind: "cloud" as const, offerId: picked.offer.id };
			return { kind: "move", jobId, attemptId, atMs, to, holdMicroUsd: picked.holdMicroUsd, reason: reason("moving_cheaper", facts) };
		}
		passedOver.push(...picked.row.likes, picked.offer.id);
	}
	return null;
}

/** Expected savings of the move, µ$; null: the offer should not be tried now. */
function savingAt(
	{ snapshot, shapeOf }: RunningInput,
	attempt: RunningAttempt,
	picked: PickedOffer,
	hereMicroUsd: number,
	isProven: boolean,
): number | null {
	const { run, row, offer } = picked;
	const shape = shapeOf(attempt.spec);
	const { nodes } = attempt.spec;
	const delayMs = run.start.p50Ms + restoreMsOf(snapshot);
	const savingMicroUsd =
		picked.advantageMicroUsd === null
			? Math.floor(hereMicroUsd - picked.totalMicroUsd - delayCostMicroUsd(snapshot, shape, delayMs))
			: savingOn(snapshot, shape, offer, nodes, delayMs, picked.advantageMicroUsd);
	if (isProven) return savingMicroUsd;
	const hereMicroUsdPerHour = Number(attempt.microUsdPerHour ?? 0n);
	return expectedSaving(presenceOn(row, run.terms, false), {
		savingMicroUsd,
		failMicroUsd: (hereMicroUsdPerHour * delayMs) / HOUR_MS + delayCostMicroUsd(snapshot, shape, delayMs),
		cheaperMicroUsdPerHour: hereMicroUsdPerHour - row.rankingMicroUsdPerHour * nodes,
	});
}

/** Whether none of our launches is pending there. */
function canTry({ snapshot }: RunningInput, picked: PickedOffer, tried: ReadonlySet<string>): boolean {
	if (tried.has(placeOf(picked))) return false;
	const requested = requestedOffers(snapshot);
	return !picked.row.likes.some((id) => requested.has(id));
}

const requestedOf = new WeakMap<Snapshot, ReadonlySet<string>>();

/** Offers with a launch that has not come up yet, or that a job is about to move to. Cached by snapshot, which never changes. */
function requestedOffers(snapshot: Snapshot): ReadonlySet<string> {
	const known = requestedOf.get(snapshot);
	if (known) return known;
	const requested = new Set<string>();
	const addTarget = (to: MoveTarget | null | undefined): void => {
		if (to?.kind === "cloud") requested.add(to.offerId);
	};
	for (const { movingTo, offerId, startedAtMs } of snapshot.running) {
		addTarget(movingTo);
		if (offerId && startedAtMs === null) requested.add(offerId);
	}
	for (const { movingTo } of snapshot.pending) addTarget(movingTo);
	requestedOf.set(snapshot, requested);
	return requested;
}

function placeOf({ row, offer }: PickedOffer): string {
	return row.likes[0] ?? offer.id;
}
