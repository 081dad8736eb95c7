import type { Offer } from "#server/domain/capacity.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "./limits.ts";
import { noteZone, observeZone } from "./spot-guarantee/learner.ts";
import type { OfferRecord } from "./types.ts";

/**
 * The behavior of offers, learned from our own launches. Every function is pure and returns a new record: the live loop applies them to
 * the database's events, a replay to its own.
 */

/** @param isSpot its availability over time is learned too (spot-guarantee/learner.ts). */
export function emptyRecord(atMs: number, isSpot = false): OfferRecord {
	return { atMs, instanceHours: 0, interruptions: 0, refusals: 0, launches: 0, ...(isSpot && { zone: null }) };
}

/** The same evidence at a later time: each count halves with its half-life (LIMITS). A time before the record changes nothing. */
export function decayed(record: OfferRecord, nowMs: number): OfferRecord {
	if (nowMs <= record.atMs) return record;
	const [slow, fast] = [slowShare(record, nowMs), fastShare(record, nowMs)];
	return {
		...record,
		atMs: nowMs,
		instanceHours: record.instanceHours * slow,
		interruptions: record.interruptions * slow,
		refusals: record.refusals * fast,
		launches: record.launches * fast,
	};
}

/** The remaining weight of hours and interruptions, and of launches and refusals. */
function slowShare({ atMs }: OfferRecord, nowMs: number): number {
	return nowMs <= atMs ? 1 : 0.5 ** ((nowMs - atMs) / LIMITS.interruptionHalfLifeMs);
}

function fastShare({ atMs }: OfferRecord, nowMs: number): number {
	return nowMs <= atMs ? 1 : 0.5 ** ((nowMs - atMs) / LIMITS.refusalHalfLifeMs);
}

/** Instances of it ran for this many hours, up to `nowMs`. */
export function withHours(record: OfferRecord, hours: number, nowMs: number): OfferRecord {
	const { zone, ...now } = decayed(record, nowMs);
	// Its launch was a probe, so the offer was observed continuously since the last one. Refused or reclaimed spot stays down
	// until a launch comes up.
	const seen = zone?.up ? observeZone(zone, true, nowMs) : zone;
	return { ...now, instanceHours: now.instanceHours + Math.max(0, hours), ...(seen !== undefined && { zone: seen }) };
}

/** The provider reclaimed one of its instances. Capacity that it needs for others is exhausted, so this is a refusal too. */
export function withInterruption(record: OfferRecord, nowMs: number): OfferRecord {
	const now = withRefusal(record, nowMs);
	return { ...now, interruptions: now.interruptions + 1 };
}

/** A launch came up: the back-off ends. */
export function withLaunch(record: OfferRecord, nowMs: number): OfferRecord {
	const { backoffUntilMs: _, ...now } = withLook(decayed(record, nowMs), true, nowMs);
	return { ...now, launches: now.launches + 1 };
}

/**
 * A launch was refused for lack of capacity. The pause before the next call doubles with each refusal that still counts.
 * During a pause no refusal is counted: many concurrent calls hit the same shortage.
 * @param why a refusal by the account's quota is no evidence of how long the zone lacks capacity
 */
export function withRefusal(record: OfferRecord, nowMs: number, why: "capacity" | "quota" = "capacity"): OfferRecord {
	const faded = decayed(record, nowMs);
	const now = why === "capacity" ? withLook(faded, false, nowMs) : faded;
	if ((now.backoffUntilMs ?? 0) > nowMs) return now;
	const pauseMs = Math.min(LIMITS.refusalPauseMaxMs, LIMITS.refusalPauseMs * 2 ** Math.min(20, Math.floor(now.refusals)));
	return { ...now, refusals: now.refusals + 1, backoffUntilMs: nowMs + pauseMs };
}

/** The offer was observed as available, or unavailable, now. */
function withLook(record: OfferRecord, up: boolean, nowMs: number): OfferRecord {
	return record.zone === undefined ? record : { ...record, zone: noteZone(record.zone, up, nowMs) };
}

/** The record's prediction for the next launch. */
export interface OfferRates {
	/** Expected interruptions of one instance per hour. */
	interruptionsPerHour: number;
	/** Expected time lost to refusals until a launch comes up, ms. */
	refusalDelayMs: number;
}

const CERTAIN: OfferRates = { interruptionsPerHour: 0, refusalDelayMs: 0 };
const NOTHING_SEEN: OfferRecord = emptyRecord(0);

/**
 * Posterior means of a Gamma-Poisson and of a Beta model, with LIMITS' priors as pseudo-counts:
 * interruptions per hour = (interruptions + prior rate × prior hours) ÷ (hours + prior hours), initially on spot only;
 * tries until a launch comes up: 1 + (refusals + prior refusals) ÷ (launches + prior launches) (geometric), where all but one fail and cost
 * LIMITS.refusedLaunchMs each. Without `record`: the prior alone.
 * `likes`: records of the same capacity in machines of other sizes. Their interruptions and hours are added up, because one shortage
 * affects all sizes, and the sizes' records differ more by chance than by size. Refusals may be specific to a size, so those of the others
 * count as a prior with the weight of one launch.
 */
export function ratesOf(
	capacityType: Offer["capacityType"],
	record: OfferRecord | undefined,
	nowMs: number,
	likes: readonly OfferRecord[] = [],
): OfferRates {
	const { priorInstanceHours: hours, priorLaunches: tries, priorSpotInterruptionsPerHour } = LIMITS;
	const own = record ?? NOTHING_SEEN;
	const [slow, fast] = [slowShare(own, nowMs), fastShare(own, nowMs)];
	let interruptions = own.interruptions * slow + (capacityType === "spot" ? priorSpotInterruptionsPerHour * hours : 0);
	let seenHours = own.instanceHours * slow + hours;
	let likeRefusals = 0;
	let likeLaunches = 0;
	for (const like of likes) {
		// Like decayed(), without a copy of each record: it is called for every offer in every minute.
		const itsSlow = slowShare(like, nowMs);
		const itsFast = fastShare(like, nowMs);
		interruptions += like.interruptions * itsSlow;
		seenHours += like.instanceHours * itsSlow;
		likeRefusals += like.refusals * itsFast;
		likeLaunches += like.launches * itsFast;
	}
	const interruptionsPerHour = interruptions / seenHours;
	const refusalsPerLaunch = (own.refusals * fast + (tries * likeRefusals) / (likeLaunches + tries)) / (own.launches * fast + tries);
	if (interruptionsPerHour === 0 && refusalsPerLaunch === 0) return CERTAIN;
	return { interruptionsPerHour, refusalDelayMs: refusalsPerLaunch * LIMITS.refusedLaunchMs };
}

/** Expected work and time of a run that may be interrupted. */
export interface Rework {
	/** Instance time on top of the undisturbed run, ms. */
	extraMs: number;
	/** Interruptions expected during it. */
	interruptions: number;
}

/**
 * Time that interruptions add to a run of `workMs` on `instances` machines, where losing any one stops them all: together they
 * are interrupted at Λ = n × r per hour.
 * With checkpoints every c: Λ × T interruptions, each repeating c ÷ 2 of work on average and one boot + restore d: the
 * first-order model of Young (CACM 17(9), 1974) and Daly (FGCS 22(3), 2006) without the cost of writing a checkpoint, valid
 * while Λ × (c ÷ 2 + d) is well below 1. Otherwise the time itself grows, T × Λ(c ÷ 2 + d) ÷ (1 − Λ(c ÷ 2 + d)), and the share
 * is capped at LIMITS.maxLostShare.
 * Without checkpoints the whole run starts again: its expected length is (e^(ΛT) − 1)(1 ÷ Λ + d) (Daly's exponential form with
 * one segment), with ΛT capped at LIMITS.maxRestartExponent, since no run finishes there anyway.
 */
export function reworkOf(given: {
	workMs: number;
	instances: number;
	interruptionsPerHour: number;
	checkpointEveryMs: number | null;
	changeoverMs: number;
}): Rework {
	const { workMs, checkpointEveryMs, changeoverMs } = given;
	const perMs = (given.instances * given.interruptionsPerHour) / HOUR_MS;
	if (perMs <= 0) return NO_REWORK;
	const extraMs = extraMsOf(workMs, perMs, checkpointEveryMs, changeoverMs);
	const interruptions = mustRestart(workMs, checkpointEveryMs) ? restartsOf(workMs, perMs) : (workMs + extraMs) * perMs;
	return { extraMs, interruptions };
}

const NO_REWORK: Rework = { extraMs: 0, interruptions: 0 };

/** Only the extraMs of reworkOf, with interruptions per ms: a choice computes it for every offer. */
export function extraMsOf(workMs: number, perMs: number, checkpointEveryMs: number | null, changeoverMs: number): number {
	if (perMs <= 0) return 0;
	if (!mustRestart(workMs, checkpointEveryMs)) {
		const lostShare = Math.min(LIMITS.maxLostShare, perMs * ((checkpointEveryMs ?? 0) / 2 + changeoverMs));
		return (workMs * lostShare) / (1 - lostShare);
	}
	const exponent = exponentOf(workMs, perMs);
	const interruptions = restartsOf(workMs, perMs);
	return exponent <= 0 ? 0 : workMs * (interruptions / exponent - 1) + interruptions * changeoverMs;
}

/** Whether the run ends before its first checkpoint. */
function mustRestart(workMs: number, checkpointEveryMs: number | null): boolean {
	return checkpointEveryMs === null || checkpointEveryMs >= workMs;
}

function exponentOf(workMs: number, perMs: number): number {
	return Math.min(LIMITS.maxRestartExponent, perMs * workMs);
}

function restartsOf(workMs: number, perMs: number): number {
	return Math.expm1(Math.max(0, exponentOf(workMs, perMs)));
}
