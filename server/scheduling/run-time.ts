import type { TimeRange } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Distribution } from "./forecast/distribution.ts";
import { drawnShare } from "./forecast/draw.ts";
import { makeDistributionOf } from "./forecast/run-times.ts";
import { LIMITS } from "./limits.ts";
import type { DurationStat, PendingJob, RunningAttempt, TimeSpread } from "./types.ts";

/** Run time of a whole job, as a median and a P90, ms; with the whole distribution if history provides it. */
export interface RunTime extends TimeSpread {
	distribution?: Distribution;
}
export type RunTimeOf = (spec: JobSpec) => RunTime;

/** `fraud-v7` → `fraud-v`: runs of one pipeline share a pattern. */
export function namePatternOf(name: string): string {
	return name.replace(/[0-9]+$/, "");
}

/**
 * The run time by history (forecast/run-times.ts), with the estimate as one more sample. Without distributions, the best source
 * in this order: past runs of the same name in the team (at least LIMITS.minDurationSamples), the person's estimate, past runs
 * of the team, the job's maximum, LIMITS.defaultRunMs. An estimate, a maximum and the default are spread like the team's past
 * runs. Nothing exceeds the maximum.
 */
export function makeRunTimeOf(durations: readonly DurationStat[]): RunTimeOf {
	const distributionOf = makeDistributionOf(durations);
	const byKey = new Map<string, DurationStat>();
	for (const stat of durations) {
		if (stat.user !== undefined) continue;
		const key = `${stat.team}\n${stat.namePattern}`;
		const known = byKey.get(key);
		if (stat.samples >= LIMITS.minDurationSamples && (!known || isBetter(stat, known))) byKey.set(key, stat);
	}
	const runTimeOf: RunTimeOf = (spec) => {
		const distribution = distributionOf(spec);
		if (distribution) {
			const bound = spec.duration.maxMs ?? Number.POSITIVE_INFINITY;
			const { p50Ms, p90Ms } = spreadOf(Math.min(distribution.quantile(0.5), bound), Math.min(distribution.quantile(0.9), bound));
			return { p50Ms, p90Ms, distribution };
		}
		const named = byKey.get(`${spec.team}\n${namePatternOf(spec.name)}`);
		const team = byKey.get(`${spec.team}\n*`);
		const { estimateMs, maxMs } = spec.duration;
		const spread = team && team.p50Ms > 0 ? Math.max(1, team.p90Ms / team.p50Ms) : LIMITS.defaultSpread;
		const ceiling = maxMs ?? Number.POSITIVE_INFINITY;
		const p50 = named?.p50Ms ?? estimateMs ?? team?.p50Ms ?? maxMs ?? LIMITS.defaultRunMs;
		const p90 = named?.p90Ms ?? p50 * spread;
		return spreadOf(Math.min(p50, ceiling), Math.min(p90, ceiling));
	};
	// A spec never changes, and is used in every cycle of its job's life.
	const known = new WeakMap<JobSpec, RunTime>();
	return (spec) => {
		const kept = known.get(spec);
		if (kept) return kept;
		const fresh = runTimeOf(spec);
		known.set(spec, fresh);
		return fresh;
	};
}

/** Of two statistics with one key, the one with more samples, so that the order of the list does not matter. */
function isBetter(a: DurationStat, b: DurationStat): boolean {
	return a.samples !== b.samples ? a.samples > b.samples : a.p50Ms !== b.p50Ms ? a.p50Ms > b.p50Ms : a.p90Ms > b.p90Ms;
}

/**
 * Remaining time of a run that has done `doneMs`: the remaining time of past runs that were longer. Without them: before the
 * median: median − done. Between median and P90: half of the way to the P90. Past the P90: a share of the time already run
 * (LIMITS.overrunShare…). Never past `maxMs`.
 * `middle`: the quantile taken from history instead of the median.
 */
export function remainingOf(total: RunTime, doneMs: number, maxMs: number | null, middle = 0.5): TimeSpread {
	const left = (maxMs ?? Number.POSITIVE_INFINITY) - doneMs;
	const { distribution } = total;
	if (distribution)
		return spreadOf(Math.min(distribution.restAfter(doneMs, middle), left), Math.min(distribution.restAfter(doneMs, 0.9), left));
	const overrun = doneMs >= total.p90Ms;
	const p90 = overrun ? doneMs * LIMITS.overrunShareP90 : total.p90Ms - doneMs;
	const p50 = overrun ? doneMs * LIMITS.overrunShareP50 : doneMs < total.p50Ms ? total.p50Ms - doneMs : (total.p90Ms - doneMs) / 2;
	return spreadOf(Math.min(p50, left), Math.min(p90, left));
}

const LIKELY_SHARES = Array.from({ length: 10 }, (_, i) => (i + 0.5) / 10);
const likely = new WeakMap<Distribution, { doneMs: number; maxMs: number | null; restsMs: readonly number[] }>();

/** Ten equally likely remaining run times of a pending job, ms: the middle of each tenth of its history. Without history, its median. */
export function likelyRests({ distribution, ...spread }: RunTime, job: PendingJob, rest: TimeSpread): readonly number[] {
	if (!distribution) return [rest.p50Ms];
	const doneMs = job.completedMs;
	const { maxMs } = job.spec.duration;
	const known = likely.get(distribution);
	if (known?.doneMs === doneMs && known.maxMs === maxMs) return known.restsMs;
	const restsMs = LIKELY_SHARES.map((share) => remainingOf({ ...spread, distribution }, doneMs, maxMs, share).p50Ms);
	likely.set(distribution, { doneMs, maxMs, restsMs });
	return restsMs;
}

/**
 * Assumed run time of a pending job in the replay of a pool with this many slots, ms: drawn where history provides a
 * distribution.
 */
export function replayedRestMs(job: PendingJob, total: RunTime, rest: TimeSpread, slots: number): number {
	if (!total.distribution) return rest.p50Ms;
	return remainingOf(total, job.completedMs, job.spec.duration.maxMs, drawnShare(job.jobId, 0, slots)).p50Ms;
}

/** Work of the job done by `atMs` if it runs on here until then, ms on a machine of speed 1. */
export function workDoneAt({ completedMs, startedAtMs, speed = 1 }: RunningAttempt, atMs: number): number {
	return startedAtMs === null ? completedMs : completedMs + Math.max(0, atMs - startedAtMs) * speed;
}

/** Remaining work of a live attempt, ms on a machine of speed 1; for a stopping one, the remaining grace. */
export function restOfAttempt(attempt: RunningAttempt, nowMs: number, runTimeOf: RunTimeOf): TimeSpread {
	if (attempt.stopping) return { p50Ms: LIMITS.stopGraceMs, p90Ms: LIMITS.stopGraceMs };
	return remainingOf(runTimeOf(attempt.spec), workDoneAt(attempt, nowMs), attempt.spec.duration.maxMs);
}

/** Only the median of restOfAttempt: half the work, and enough for most callers. */
export function medianRestOfAttempt(attempt: RunningAttempt, nowMs: number, runTimeOf: RunTimeOf): number {
	const total = runTimeOf(attempt.spec);
	const { distribution } = total;
	if (attempt.stopping || !distribution) return restOfAttempt(attempt, nowMs, runTimeOf).p50Ms;
	const { spec } = attempt;
	const doneMs = workDoneAt(attempt, nowMs);
	const left = (spec.duration.maxMs ?? Number.POSITIVE_INFINITY) - doneMs;
	return Math.max(LIMITS.minRestMs, Math.round(Math.min(distribution.restAfter(doneMs, 0.5), left)));
}

/**
 * When the slots of a live attempt become free. The times stay fixed until the first of them passes: forecasts do not shift with the clock,
 * and results computed from them can be cached. The first forecast is the one at its start. Each time the median passes and it still runs,
 * the remaining time is computed again for the work done by then.
 * `place`: its PoolView.speed, and its slots when the end is drawn from history (forecast/draw.ts); 0: the median.
 */
export function endOfAttempt(
	attempt: RunningAttempt,
	nowMs: number,
	runTimeOf: RunTimeOf,
	{ speed, slots } = { speed: 1, slots: 0 },
): TimeRange {
	if (attempt.stopping) return endOfStop(nowMs);
	const { maxMs } = attempt.spec.duration;
	const total = runTimeOf(attempt.spec);
	const startMs = attempt.startedAtMs ?? attempt.placedAtMs;
	const doneMs = attempt.completedMs + Math.max(0, nowMs - startMs) * speed;
	if (total.distribution) {
		const { completedMs } = attempt;
		const drawn = drawnEnd(total.distribution, {
			completedMs,
			doneMs,
			maxMs,
			middleOf: (round) => (slots > 0 ? drawnShare(attempt.jobId, round, slots) : 0.5),
		});
		const endsAt = (workMs: number): number => startMs + Math.ceil((workMs - completedMs) / speed);
		return drawn && endsAt(drawn.p50Ms) > nowMs ? { p50Ms: endsAt(drawn.p50Ms), p90Ms: endsAt(drawn.p90Ms) } : unknownEndTime(nowMs);
	}
	for (let askedAtMs = attempt.completedMs; ; ) {
		const rest = remainingOf(total, askedAtMs, maxMs);
		const p50Ms = Math.max(rest.p50Ms, askedAtMs === attempt.completedMs ? 0 : leastStep(askedAtMs));
		const endsAt = (restMs: number): number => startMs + Math.ceil((askedAtMs - attempt.completedMs + restMs) / speed);
		if (askedAtMs + p50Ms > doneMs && endsAt(p50Ms) > nowMs) return { p50Ms: endsAt(p50Ms), p90Ms: endsAt(Math.max(p50Ms, rest.p90Ms)) };
		askedAtMs += p50Ms;
	}
}

/**
 * The first of its draws that the work done so far has not outlived, and the P90 bound at that time, ms of work. Each draw is
 * from the runs that outlive the previous draw, i.e. from the quantiles above it. Null: it outlived the resolution of the
 * distribution, or its maximum.
 */
function drawnEnd(
	distribution: Distribution,
	run: { completedMs: number; doneMs: number; maxMs: number | null; middleOf: (round: number) => number },
): TimeSpread | null {
	const bound = run.maxMs ?? Number.POSITIVE_INFINITY;
	if (run.doneMs >= bound) return null;
	const outlived = distribution.shareUpTo(run.doneMs);
	let share = distribution.shareUpTo(run.completedMs);
	for (let round = 0; share < 1 - 1e-12; round++) {
		const next = share + run.middleOf(round) * (1 - share);
		if (next > outlived) {
			const p50Ms = Math.min(Math.round(distribution.quantile(next)), bound);
			if (p50Ms > run.doneMs)
				return { p50Ms, p90Ms: Math.max(p50Ms, Math.min(Math.round(distribution.quantile(share + 0.9 * (1 - share))), bound)) };
		}
		share = next;
	}
	return null;
}

/** A run past its median is estimated again only after at least this time: halving the way to the P90 would never end. */
function leastStep(doneMs: number): number {
	return Math.max(LIMITS.minRestMs, doneMs / 32);
}

/** Between now and the grace: the time of the stop request is not known here. */
export function endOfStop(nowMs: number): TimeRange {
	return nextStep(nowMs, LIMITS.stopGraceMs, 1);
}

/** A slot that is neither free nor held by a known attempt belongs to someone else: its end is unknown. */
export function unknownEndTime(nowMs: number): TimeRange {
	return nextStep(nowMs, LIMITS.defaultRunMs, LIMITS.defaultSpread);
}

/** The next whole step of the clock, and `spread` times its length after its start. */
function nextStep(nowMs: number, stepMs: number, spread: number): TimeRange {
	const fromMs = Math.floor(nowMs / stepMs) * stepMs;
	return { p50Ms: fromMs + stepMs, p90Ms: fromMs + stepMs * spread };
}

function spreadOf(p50: number, p90: number): TimeSpread {
	const p50Ms = Math.max(LIMITS.minRestMs, Math.round(p50));
	return { p50Ms, p90Ms: Math.max(p50Ms, Math.round(p90)) };
}
