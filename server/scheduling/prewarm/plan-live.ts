import { diskMicroUsdPerHourMax } from "#server/accounting/disk.ts";
import { canKeepStopped, type Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { costOfElapsed } from "#server/kernel/money.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { lifeOf, rentHoldOf } from "../cost.ts";
import { LIMITS } from "../limits.ts";
import { fitOffers, judgeRows, openOfferBook } from "../offers.ts";
import type { Snapshot, TimeSpread } from "../types.ts";
import { decidePrewarm, PREWARM_REVIEW_MS } from "./decide-prewarm.ts";
import { isOfKind, type LiveRule } from "./serves.ts";
import type { PrewarmFacts, PrewarmPlan } from "./types.ts";

/** The last job that used a machine of the rule's kind: the offer is chosen for its needs. */
export interface LikeJob {
	jobId: string;
	spec: JobSpec;
	/** The offer that it used. */
	offerId: string;
}

/** A machine to launch without a job. */
export interface WarmLaunch {
	offer: Offer;
	/** Worst case of the time without a job. */
	holdMicroUsd: bigint;
	/** It is stopped once it is prepared. */
	keepStopped: boolean;
	/** Longest time without a job, boot included, and longest life with one. */
	warmMs: number;
	lifeMs: number;
}

/**
 * What the live scheduler does for one rule now. `like` null: no job has used such a machine yet, so none is launched.
 * @param stoppedStart time that stopped machines needed to start
 */
export function planLive(
	snapshot: Snapshot,
	{ effect }: LiveRule,
	like: LikeJob | null,
	facts: Omit<PrewarmFacts, "price" | "savedMs" | "nowMs">,
	stoppedStart: TimeSpread,
): PrewarmPlan & { launchOn: WarmLaunch | null } {
	const launchOn = like && launchFor(snapshot, effect, like);
	const bootMs = snapshot.cloudStartMs.p50Ms;
	const microUsdPerHour = launchOn?.offer.microUsdPerHour ?? null;
	const price = launchOn &&
		microUsdPerHour !== null && {
			microUsdPerHour: effect.state === "stopped" ? diskMicroUsdPerHourMax(launchOn.offer.disk) : microUsdPerHour,
			holdMicroUsd: launchOn.holdMicroUsd,
			bootMicroUsd: costOfElapsed(microUsdPerHour, bootMs),
		};
	const startMs = effect.state === "stopped" ? stoppedStart.p50Ms : LIMITS.warmStartMs;
	const known = { ...facts, nowMs: snapshot.nowMs, price: price || null, savedMs: Math.max(0, bootMs - startMs) };
	return { ...decidePrewarm(effect, known), launchOn };
}

/** The offer that such a job last used, else the first in rank of those that it may use now: hardware, rules and price as for any launch. */
function launchFor(snapshot: Snapshot, effect: LiveRule["effect"], { spec, offerId }: LikeJob): WarmLaunch | null {
	const { policy, nowMs, cloudStartMs } = snapshot;
	const book = openOfferBook(snapshot);
	const verdict = judgeJob(policy, spec);
	const usable = fitOffers(book, spec, judgeRows(book.rows, verdict), nowMs).usable.filter(
		({ offer }) => isOfKind(effect, offer) && offer.capacityType !== "reserved" && (effect.state === "running" || canKeepStopped(offer)),
	);
	const offer = (usable.find((row) => row.offer.id === offerId) ?? usable[0])?.offer;
	if (!offer) return null;
	const warmMs = Math.max(LIMITS.bootAllowanceMs, cloudStartMs.p90Ms) + effect.idleMs;
	const lifeMs = verdict.limits.instanceMs?.value ?? Math.max(LIMITS.defaultLifeMs, lifeOf(spec, 0, verdict, cloudStartMs));
	const keepStopped = effect.state === "stopped";
	const runningMs = keepStopped ? warmMs - effect.idleMs + LIMITS.prepareMs + LIMITS.stopMs : warmMs;
	const rentMicroUsd = rentHoldOf({ ...offer, microUsdPerHour: highestPriceOf(offer) }, runningMs, 1);
	const diskMicroUsd = keepStopped ? costOfElapsed(diskMicroUsdPerHourMax(offer.disk), effect.idleMs + PREWARM_REVIEW_MS) : 0n;
	return { offer, warmMs, lifeMs, keepStopped, holdMicroUsd: rentMicroUsd + diskMicroUsd };
}

/** A spot price may rise to the on-demand price, at which no spot is used. */
function highestPriceOf({ microUsdPerHour, onDemandMicroUsdPerHour }: Offer): bigint {
	const price = microUsdPerHour ?? 0n;
	return onDemandMicroUsdPerHour !== null && onDemandMicroUsdPerHour > price ? onDemandMicroUsdPerHour : price;
}
