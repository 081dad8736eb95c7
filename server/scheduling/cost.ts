import { diskMicroUsdPerHourMax } from "#server/accounting/disk.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { mulDivCeil } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import { type DataBook, NO_STAGING, openData, type Staging, type StagingWays } from "./data.ts";
import { egressMicroUsd } from "./egress.ts";
import { LIMITS } from "./limits.ts";
import type { OfferRow } from "./offers.ts";
import { extraMsOf, type OfferRates, ratesOf, reworkOf } from "./records.ts";
import { restoreMsOf } from "./restore.ts";
import type { RunTime } from "./run-time.ts";
import { type RunSpeeds, runSpeedsOf, timeAt } from "./throughput/run-speeds.ts";
import { runningTrials } from "./throughput/trial-keys.ts";
import type { OfferRecord, PendingJob, Snapshot, TimeSpread, WarmMachine } from "./types.ts";
import type { KnownLength } from "./work-bound.ts";

/** What one job needs for a run in the cloud, independent of the offer. */
export interface CloudRun {
	/** From launch to a running command, ms. */
	start: TimeSpread;
	/** From a started machine to work that continues from its checkpoint, ms. */
	restoreMs: number;
	/** Remaining run time on a machine of speed 1, ms; restOn gives the time on an offer. */
	rest: TimeSpread;
	/** null: every machine has speed 1. */
	speeds: RunSpeeds | null;
	/** Its distribution, if known. */
	length: KnownLength | null;
	/** It starts from a checkpoint. */
	restores: boolean;
	/** Machines that must all start together: the job's nodes. */
	instances: number;
	/** Longest work between two checkpoints, ms; null: no checkpoints, so it restarts from the beginning after an interruption. */
	checkpointEveryMs: number | null;
	/** Results going home, GiB. 0 if their size is unknown before the run. */
	egressGiB: number;
	/** Checkpoints going home, GiB: over the expected run, and over the longest life. */
	saves: { expectedGiB: number; worstGiB: number };
	/** Longest life of the instances, which then terminate themselves. */
	lifeMs: number;
	data: JobSpec["data"];
	/** Data copies count if they are at least this new, UTC ms: the job's submission. */
	submittedAtMs: number | null;
	/** Whether its launch may wait for data to be copied ahead. Not allowed for work that stops elsewhere in order to move here. */
	mayWait: boolean;
	deadlineMs: number | null;
	/** Value of an hour of its delay, µ$. */
	delayMicroUsdPerHour: number;
	terms: CostTerms;
	/** By offer: the machine kept warm that the run takes there. Set: the run takes one, and launches none. */
	warm?: ReadonlyMap<string, WarmMachine>;
}

/** Inputs for the price of all runs of a cycle. */
export interface CostTerms {
	nowMs: number;
	records: Snapshot["offerRecords"];
	data: DataBook;
	/** Families of jobs that run on an accelerator now, or in this plan (throughput/trial.ts). */
	trials: Set<string>;
}

/** Value of an hour of a job's delay, µ$: from its waiting budget, else from the policy's weight. */
export function delayMicroUsdPerHourOf(verdict: Pick<JobVerdict, "delayMicroUsdPerHour">, { policy }: Pick<Snapshot, "policy">): number {
	return Number(verdict.delayMicroUsdPerHour ?? policy.weights.delayMicroUsdPerHour);
}

let last: { snapshot: Snapshot; terms: CostTerms } | null = null;

/** Kept for the last snapshot: a cycle requests it for each job and offer. */
export function costTermsOf(snapshot: Snapshot): CostTerms {
	if (last?.snapshot !== snapshot) last = { snapshot, terms: makeCostTerms(snapshot) };
	return last.terms;
}

function makeCostTerms(snapshot: Snapshot): CostTerms {
	const { nowMs, offerRecords: records } = snapshot;
	return { nowMs, records, data: openData(snapshot), trials: runningTrials(snapshot) };
}

export function cloudRunOf(
	queued: {
		job: Pick<PendingJob, "spec" | "completedMs" | "completedByClockMs" | "checkpointGiB"> & { submittedAtMs?: number };
		rest: TimeSpread;
	},
	verdict: JobVerdict,
	snapshot: Snapshot,
	total: RunTime | null = null,
): CloudRun {
	const { spec, completedMs, completedByClockMs = completedMs } = queued.job;
	const terms = costTermsOf(snapshot);
	const lifeMs = lifeOf(spec, completedByClockMs, verdict, snapshot.cloudStartMs, terms.data.longestMs(spec.data));
	return {
		start: snapshot.cloudStartMs,
		restoreMs: restoreMsOf(snapshot),
		length: total && { total, doneMs: completedMs, maxMs: spec.duration.maxMs },
		restores: completedMs > 0,
		rest: queued.rest,
		speeds: runSpeedsOf(spec, snapshot),
		instances: spec.nodes,
		checkpointEveryMs: spec.checkpoint?.intervalMs ?? null,
		egressGiB: terms.data.outGiB,
		saves: savesOf(queued.job, queued.rest.p50Ms, lifeMs),
		lifeMs,
		data: spec.data,
		submittedAtMs: queued.job.submittedAtMs ?? null,
		mayWait: queued.job.submittedAtMs !== undefined,
		deadlineMs: spec.deadlineMs,
		delayMicroUsdPerHour: delayMicroUsdPerHourOf(verdict, snapshot),
		terms,
	};
}

/** Expected wall-clock time of the remaining work on this row's accelerator. */
export function restOn(row: OfferRow, run: CloudRun): TimeSpread {
	return run.speeds === null ? run.rest : timeAt(run.rest, run.speeds.on(row.machine.accelerator));
}

/** Expected time of the remaining work ÷ its time on a machine of speed 1. */
function timeFactorOn(row: OfferRow, run: CloudRun): number {
	return run.speeds === null ? 1 : run.speeds.on(row.machine.accelerator).timeFactor;
}

const NO_SAVES: CloudRun["saves"] = { expectedGiB: 0, worstGiB: 0 };

/** One checkpoint at each full interval, and one at the end. */
function savesOf(
	{ spec, checkpointGiB = 0 }: Pick<PendingJob, "spec" | "checkpointGiB">,
	runMs: number,
	lifeMs: number,
): CloudRun["saves"] {
	if (!spec.checkpoint || checkpointGiB <= 0) return NO_SAVES;
	const { intervalMs } = spec.checkpoint;
	const savedIn = (ms: number): number => (Math.floor(ms / intervalMs) + 1) * checkpointGiB;
	return { expectedGiB: savedIn(runMs), worstGiB: savedIn(Math.max(runMs, lifeMs)) };
}

/**
 * min(the policy's instance limit, the rest of the job's maximum + boot + staging + grace to stop); LIMITS.defaultLifeMs if neither is set,
 * so that no instance lives forever.
 */
export function lifeOf(spec: JobSpec, completedMs: number, verdict: JobVerdict, start: TimeSpread, stagingMs = 0): number {
	const { maxMs } = spec.duration;
	const boot = Math.max(LIMITS.bootAllowanceMs, start.p90Ms + stagingMs);
	const byJob = maxMs === null ? Number.POSITIVE_INFINITY : Math.max(0, maxMs - completedMs) + boot + LIMITS.stopGraceMs;
	const byPolicy = verdict.limits.instanceMs?.value ?? Number.POSITIVE_INFINITY;
	const life = Math.min(byJob, byPolicy);
	return Math.max(1, Math.ceil(Number.isFinite(life) ? life : LIMITS.defaultLifeMs));
}

/** Longest life of the run there. Capacity that ends earlier (a reserved block) ends the instances with it. */
export function lifeOn(row: OfferRow, run: CloudRun): number {
	const { availableUntilMs } = row.offer;
	if (availableUntilMs === undefined || availableUntilMs === null) return run.lifeMs;
	return Math.max(1, Math.min(run.lifeMs, availableUntilMs - run.terms.nowMs));
}

/**
 * The most that a placement may cost: (price + disk) × instances × (life + LIMITS.terminationMarginMs), rounded up, plus egress in the
 * worst case: the checkpoints of the whole life, all at the most expensive tier, because the next month starts there. A life shorter than
 * the minimum billed time counts as that minimum.
 */
export function holdOf(row: OfferRow, run: CloudRun): bigint {
	const lifeMs = lifeOn(row, run);
	const egress = egressOf(row, run, { savesGiB: run.saves.worstGiB, steps: undefined });
	const last = row.lastHold;
	// Most jobs share one life, the policy's, so the last result is cached.
	if (last !== null && last.lifeMs === lifeMs && last.instances === run.instances) return last.rentMicroUsd + egress;
	const rentMicroUsd = rentHoldOf(row.offer, lifeMs, run.instances);
	row.lastHold = { lifeMs, instances: run.instances, rentMicroUsd };
	return rentMicroUsd + egress;
}

/** The part of a hold for the instances' time, with their disks in the most expensive month. */
export function rentHoldOf(offer: Pick<Offer, "microUsdPerHour" | "billedMinimumMs" | "disk">, lifeMs: number, instances: number): bigint {
	const price = (offer.microUsdPerHour ?? 0n) + diskMicroUsdPerHourMax(offer.disk);
	const heldMs = Math.ceil(Math.max(lifeMs + LIMITS.terminationMarginMs, offer.billedMinimumMs ?? 0));
	return mulDivCeil(price > 0n ? price : 0n, BigInt(heldMs) * BigInt(Math.max(1, instances)), BigInt(HOUR_MS));
}

/**
 * Egress of results and checkpoints from the offer's region, and of data from the clouds it is copied from. Ingress is free. Defaults: the
 * checkpoints of the expected run, at the tiers following the month's volume so far. Data from other clouds is priced at their most
 * expensive tier.
 */
function egressOf(
	row: OfferRow,
	run: CloudRun,
	{ savesGiB, steps } = { savesGiB: run.saves.expectedGiB, steps: run.terms.data.egressSteps(row.placeKey) },
): bigint {
	if (run.egressGiB === 0 && savesGiB === 0 && run.data.length === 0) return 0n;
	// Checkpoints are often small, so a whole GiB for each would be an overestimate.
	const homeMicroUsd = egressMicroUsd(Math.ceil(run.egressGiB) + savesGiB, steps, row.offer.egressMicroUsdPerGiB);
	const { egressMicroUsd: readMicroUsd, copyMicroUsd } = stagingOn(row, run);
	return BigInt(homeMicroUsd + readMicroUsd * run.instances + copyMicroUsd);
}

/** Most GiB that leave a cloud for this run. */
export function egressGiBOf(row: OfferRow, run: CloudRun): number {
	const { egressGiB: readGiB, copyGiB } = stagingOn(row, run);
	return run.egressGiB + run.saves.worstGiB + readGiB * run.instances + copyGiB;
}

/** How the run's data gets there: staged by the machine itself, or copied ahead where that is possible and better. */
export function stagingOn(row: OfferRow, run: CloudRun): Staging {
	if (run.data.length === 0) return NO_STAGING;
	const ways = stagingWays(row, run);
	const { ahead, outOfReach } = ways;
	return ahead !== null && run.mayWait && (outOfReach !== null || aheadIsBetter(ways, ahead, row, run)) ? ahead : ways;
}

function stagingWays(row: OfferRow, run: CloudRun): StagingWays {
	return run.terms.data.staging(run.data, row.placeKey, run.submittedAtMs);
}

/** Staging time on the machine itself without copying ahead, ms. */
export function stagingByMachineMs(row: OfferRow, run: CloudRun): number {
	return run.data.length === 0 ? 0 : stagingWays(row, run).ms;
}

/**
 * A data set that excludes this row for this run for now: no machine there can read it, and the launch may not wait for a copy. null: none.
 */
export function dataOutOfReach(row: OfferRow, run: CloudRun): string | null {
	return run.data.length === 0 || run.mayWait ? null : stagingWays(row, run).outOfReach;
}

/**
 * Three conditions: the saved machine time, with its carbon, is worth more than the delay; it justifies the detour; and the deadline still
 * holds at P90, or is no tighter than without. Savings from shorter staging after interruptions are omitted, because they would only favor
 * copying ahead.
 */
function aheadIsBetter(direct: Staging, ahead: Staging, row: OfferRow, run: CloudRun): boolean {
	const { instances, start, deadlineMs, terms } = run;
	const savedMs = direct.ms - ahead.ms;
	if (savedMs < LIMITS.copyAheadLeastMs) return false;
	const laterMs = ahead.waitMs - savedMs;
	const endP90Ms = terms.nowMs + ahead.waitMs + start.p90Ms + ahead.ms + restOn(row, run).p90Ms;
	if (laterMs > 0 && deadlineMs !== null && endP90Ms > deadlineMs) return false;
	return row.rankingMicroUsdPerHour * instances * savedMs > run.delayMicroUsdPerHour * laterMs;
}

/**
 * The maximum shown for a placement: its hold, and never less than the expected cost with staging at the slow end of its range. A job that
 * needs several lives is expected to cost more than the hold of one.
 */
export function worstCaseOf(row: OfferRow, run: CloudRun, { totalMicroUsd }: Pick<Estimate, "totalMicroUsd">): bigint {
	const held = holdOf(row, run);
	const { ms, rangeMs } = stagingOn(row, run);
	const slowMicroUsd = ((row.microUsdPerHour + row.diskMicroUsdPerHour) * run.instances * Math.max(0, rangeMs.high - ms)) / HOUR_MS;
	const expected = totalMicroUsd + slowMicroUsd;
	// A missing price is NaN; the offer is excluded for that.
	if (!Number.isFinite(expected)) return held;
	const slow = BigInt(Math.ceil(expected));
	return slow > held ? slow : held;
}

const CERTAIN: OfferRates = { interruptionsPerHour: 0, refusalDelayMs: 0 };

/**
 * The offer's rates in this minute (LIMITS.rateStepMs), from its own record and those of similar offers; none without records. Cost: one
 * check of these records per cycle; rates are recomputed when a record or the minute changes.
 */
export function ratesOn(row: OfferRow, terms: CostTerms): OfferRates {
	const { records, nowMs } = terms;
	if (!records) return CERTAIN;
	const kept = row.lastRates;
	if (kept?.terms === terms) return kept.rates;
	const step = Math.floor(nowMs / LIMITS.rateStepMs);
	if (kept?.step === step && areStill(row.likes, kept.records, records)) {
		kept.terms = terms;
		return kept.rates;
	}
	const known = row.likes.map((id) => records.get(id));
	const likes = known.flatMap((record, i) => (record === undefined || row.likes[i] === row.offer.id ? [] : [record]));
	const rates = ratesOf(row.offer.capacityType, records.get(row.offer.id), step * LIMITS.rateStepMs, likes);
	row.lastRates = { terms, step, records: known, rates };
	return rates;
}

function areStill(ids: readonly string[], known: readonly (OfferRecord | undefined)[], records: ReadonlyMap<string, OfferRecord>): boolean {
	for (let i = 0; i < ids.length; i++) if (records.get(ids[i] ?? "") !== known[i]) return false;
	return true;
}

/** Earliest time after a refusal; 0 if there was none. */
export function backoffOf(row: OfferRow, records: Snapshot["offerRecords"]): number {
	const record = records?.get(row.offer.id);
	return Math.max(record?.backoffUntilMs ?? 0, row.backoffUntilMs, askAgainMs(record));
}

/** When unavailable spot is requested again, UTC ms; 0: at any time. */
function askAgainMs(record: OfferRecord | undefined): number {
	const zone = record?.zone ?? null;
	if (zone === null || zone.up) return 0;
	const awayMs = zone.atMs - zone.sinceMs;
	return zone.atMs + Math.min(LIMITS.askAgainMostMs, Math.max(LIMITS.askAgainLeastMs, awayMs / 2));
}

/** Expected times and cost of a run on one offer. Money in whole µ$, in plain numbers; NaN when the price is missing. */
export interface Estimate {
	/** Billed time of each instance: boot + staging + run + rework, at least the minimum billed time. */
	billedMs: number;
	/** Time before the launch, while data is copied into the place's store. Not billed. */
	copyAheadMs: number;
	/** Time to copy data in. Billed like the run: the instance runs while its GPUs wait. */
	stagingMs: number;
	/** Repeated work, boots and restores after interruptions (records.ts). */
	reworkMs: number;
	/** Time for launches refused before one succeeds. Not billed. */
	refusalMs: number;
	/** Expected number of interruptions. */
	interruptions: number;
	/** From now to a running command, and the time that interruptions add until the end. */
	delayMs: number;
	computeMicroUsd: number;
	egressMicroUsd: number;
	/** Cost of the instances' disks in the most expensive month; null if the price is unknown, and then not in the total. */
	storageMicroUsd: number | null;
	totalMicroUsd: number;
	/** null if grid, PUE or board power is unknown. */
	emissionsGrams: number | null;
	/** total + delay × its weight + carbon × its weight: the basis of the choice. */
	scoreMicroUsd: number;
}

/**
 * Expected cost of finishing there: price × instances × (boot + staging + rest + rework), rounded up, + their disks for the same time,
 * rounded up, + egress.
 * Rework is the expected repeated work, boots and restores of records.ts.
 */
export function estimateOf(row: OfferRow, run: CloudRun): Estimate {
	const times = timesOn(row, run);
	const hours = (run.instances * times.billedMs) / HOUR_MS;
	const computeMicroUsd = Math.ceil(row.microUsdPerHour * hours);
	const leavingMicroUsd = Number(egressOf(row, run));
	const storageMicroUsd = row.diskMicroUsdPerHour === 0 ? null : Math.ceil(row.diskMicroUsdPerHour * hours);
	return {
		...times,
		computeMicroUsd,
		egressMicroUsd: leavingMicroUsd,
		storageMicroUsd,
		totalMicroUsd: computeMicroUsd + leavingMicroUsd + (storageMicroUsd ?? 0),
		emissionsGrams: row.gramsPerHour === null ? null : row.gramsPerHour * hours,
		scoreMicroUsd: scoreOf(row, run),
	};
}

interface Times {
	billedMs: number;
	copyAheadMs: number;
	stagingMs: number;
	reworkMs: number;
	refusalMs: number;
	interruptions: number;
	delayMs: number;
}

/** How often one instance there is interrupted, and the time until work continues afterwards, ms: boot, staging, restore. */
export function interruptionsOn(row: OfferRow, run: CloudRun): { perHour: number; changeoverMs: number } {
	const { interruptionsPerHour: perHour } = ratesOn(row, run.terms);
	return { perHour, changeoverMs: run.start.p50Ms + stagingOn(row, run).ms + run.restoreMs };
}

function timesOn(row: OfferRow, run: CloudRun): Times {
	const { interruptionsPerHour, refusalDelayMs: refusalMs } = ratesOn(row, run.terms);
	const { ms: stagingMs, waitMs: copyAheadMs } = stagingOn(row, run);
	const runMs = run.rest.p50Ms * timeFactorOn(row, run);
	let [reworkMs, interruptions] = [0, 0];
	if (interruptionsPerHour > 0) {
		const { changeoverMs } = interruptionsOn(row, run);
		const { instances, checkpointEveryMs } = run;
		const rework = reworkOf({ workMs: runMs, instances, interruptionsPerHour, checkpointEveryMs, changeoverMs });
		[reworkMs, interruptions] = [rework.extraMs, rework.interruptions];
	}
	const billedMs = billedMsOn(row, run, runMs, stagingMs + reworkMs);
	const delayMs = copyAheadMs + run.start.p50Ms + refusalMs + stagingMs + reworkMs + runMs - run.rest.p50Ms;
	return { billedMs, copyAheadMs, stagingMs, reworkMs, refusalMs, interruptions, delayMs };
}

function billedMsOn(row: OfferRow, run: CloudRun, runMs: number, besidesMs: number): number {
	return Math.max(run.start.p50Ms + runMs + besidesMs, row.offer.billedMinimumMs ?? 0);
}

/**
 * The score alone, in plain numbers: choosing among many offers calls it millions of times in a replay. An unknown carbon intensity counts
 * as the highest known (offers.ts).
 */
export function scoreOf(row: OfferRow, run: CloudRun): number {
	return scoreAt(row, run, ratesOn(row, run.terms));
}

/** The score at these rates. */
export function scoreAt(row: OfferRow, run: CloudRun, rates: OfferRates): number {
	return scoreIn(row, run, rates, run.rest.p50Ms * timeFactorOn(row, run));
}

/** The score if the remaining work took `runMs` there. */
export function scoreIn(row: OfferRow, run: CloudRun, { interruptionsPerHour, refusalDelayMs }: OfferRates, runMs: number): number {
	const { start, rest, instances, checkpointEveryMs } = run;
	const { ms: stagingMs, waitMs } = stagingOn(row, run);
	const perMs = (instances * interruptionsPerHour) / HOUR_MS;
	const reworkMs = extraMsOf(runMs, perMs, checkpointEveryMs, start.p50Ms + stagingMs + run.restoreMs);
	const billedMs = billedMsOn(row, run, runMs, stagingMs + reworkMs);
	const delayMs = waitMs + start.p50Ms + refusalDelayMs + stagingMs + reworkMs + runMs - rest.p50Ms;
	const free = run.egressGiB === 0 && run.saves === NO_SAVES && run.data.length === 0;
	const egress = free ? 0 : Number(egressOf(row, run));
	return (row.rankingMicroUsdPerHour * run.instances * billedMs + run.delayMicroUsdPerHour * delayMs) / HOUR_MS + egress;
}

/** What a lower bound on a score depends on. */
type ShortRun = Pick<CloudRun, "start" | "rest" | "instances" | "delayMicroUsdPerHour"> & {
	speeds: Pick<RunSpeeds, "leastFactor"> | null;
};

/**
 * A lower bound on the score of this row and of every row with a higher ranking price: staging, rework, refusals, egress and the billed
 * minimum never lower a score.
 */
export function leastScoreFrom(row: OfferRow, run: ShortRun): number {
	return leastScoreAt(row, run, run.speeds?.leastFactor ?? 1);
}

/** The same, among rows with this row's accelerator. */
export function leastScoreOfModel(row: OfferRow, run: CloudRun): number {
	return leastScoreAt(row, run, timeFactorOn(row, run));
}

function leastScoreAt(row: OfferRow, run: Omit<ShortRun, "speeds">, timeFactor: number): number {
	const { p50Ms } = run.start;
	const runMs = run.rest.p50Ms * timeFactor;
	const delayMs = p50Ms + runMs - run.rest.p50Ms;
	return (row.rankingMicroUsdPerHour * run.instances * (p50Ms + runMs) + run.delayMicroUsdPerHour * delayMs) / HOUR_MS;
}
