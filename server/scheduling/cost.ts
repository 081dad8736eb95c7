import type { JobSpec } from "#server/domain/job.ts";
import { mulDivCeil } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import { LIMITS } from "./limits.ts";
import type { OfferRow } from "./offers.ts";
import type { QueuedJob } from "./order.ts";
import type { TimeSpread } from "./types.ts";

/** What a run on any offer takes of one job; the same for all offers until they differ in boot, staging or interruptions. */
export interface CloudRun {
	/** From now to a running command, ms. */
	start: TimeSpread;
	/** What is left to run, ms. */
	rest: TimeSpread;
	/** Expected billed time of the instance: boot + staging + run + rework, ms. */
	billedMs: number;
	/** Copying the job's data in. 0: no link's rate is known yet. Ingress costs nothing at AWS, Azure and GCP. */
	stagingMs: number;
	/** Work expected to be repeated after interruptions. 0: no rate of interruption is known yet. */
	reworkMs: number;
	/** Results going home, GiB. 0: their size is not known before the run. */
	egressGiB: number;
	/** Longest life of the instance: it ends itself then. */
	lifeMs: number;
}

export function cloudRunOf(queued: QueuedJob, verdict: JobVerdict, start: TimeSpread): CloudRun {
	const stagingMs = 0;
	const reworkMs = 0;
	return {
		start,
		rest: queued.rest,
		billedMs: start.p50Ms + stagingMs + queued.rest.p50Ms + reworkMs,
		stagingMs,
		reworkMs,
		egressGiB: 0,
		lifeMs: lifeOf(queued.job.spec, queued.job.completedMs, verdict, start),
	};
}

/**
 * min(the policy's instance limit, what the job's maximum leaves + boot + grace to stop); LIMITS.defaultLifeMs when
 * neither is set, so that no instance may live for ever.
 */
export function lifeOf(spec: JobSpec, completedMs: number, verdict: JobVerdict, start: TimeSpread): number {
	const { maxMs } = spec.duration;
	const boot = Math.max(LIMITS.bootAllowanceMs, start.p90Ms);
	const byJob = maxMs === null ? Number.POSITIVE_INFINITY : Math.max(0, maxMs - completedMs) + boot + LIMITS.stopGraceMs;
	const byPolicy = verdict.limits.instanceMs?.value ?? Number.POSITIVE_INFINITY;
	const life = Math.min(byJob, byPolicy);
	return Math.max(1, Math.ceil(Number.isFinite(life) ? life : LIMITS.defaultLifeMs));
}

/** The most that a placement may cost: price × (life + LIMITS.terminationMarginMs), rounded up, plus egress at its worst. */
export function holdOf(row: OfferRow, run: CloudRun): bigint {
	// Most jobs share one life, the policy's: the last answer is kept.
	if (row.lastHold === null || row.lastHold.lifeMs !== run.lifeMs || row.lastHold.egressGiB !== run.egressGiB) {
		const price = row.offer.microUsdPerHour ?? 0n;
		const rent = mulDivCeil(price > 0n ? price : 0n, BigInt(run.lifeMs + LIMITS.terminationMarginMs), BigInt(HOUR_MS));
		row.lastHold = { lifeMs: run.lifeMs, egressGiB: run.egressGiB, microUsd: rent + egressOf(row, run) };
	}
	return row.lastHold.microUsd;
}

export function egressOf(row: OfferRow, run: CloudRun): bigint {
	return row.offer.egressMicroUsdPerGiB * BigInt(Math.ceil(run.egressGiB));
}

/** Estimated cost of the run by part, whole µ$ in plain numbers; NaN when the price is missing. */
export function estimateOf(row: OfferRow, run: CloudRun): { computeMicroUsd: number; egressMicroUsd: number; totalMicroUsd: number } {
	const computeMicroUsd = Math.ceil(row.microUsdPerHour * (run.billedMs / HOUR_MS));
	const egressMicroUsd = Number(egressOf(row, run));
	return { computeMicroUsd, egressMicroUsd, totalMicroUsd: computeMicroUsd + egressMicroUsd };
}
