import type { ApprovalAnswer } from "#server/domain/approval.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type BudgetShort, budgetFacts } from "./budget.ts";
import { type BurstFacts, type DueBurst, finiteOrNull, nextBurst } from "./burst.ts";
import { capFacts } from "./caps.ts";
import type { ApprovalAsk, ChosenOffer, OfferChoice } from "./choose-offer.ts";
import type { HomeCopy } from "./copy-home.ts";
import { type CloudRun, estimateOf, stagingByMachineMs, stagingOn } from "./cost.ts";
import type { Eviction } from "./eviction.ts";
import type { HomeStart } from "./home.ts";
import type { OfferRow } from "./offers.ts";
import type { QueuedJob } from "./order.ts";
import type { Shape } from "./shape.ts";
import type { FruitlessAttempts, PendingJob, Snapshot } from "./types.ts";

/** The dominant reason of each outcome, with the facts that its sentence needs (server/domain/sentences.ts). */

export function homeReason(start: HomeStart, spec: JobSpec): Reason {
	return reason("placed_home", {
		siteId: start.pool.view.siteId,
		poolId: start.pool.view.id,
		nodes: spec.nodes,
		gpus: spec.nodes * spec.resources.gpus,
		accelerator: start.pool.view.accelerator,
		...(start.pool.speed !== 1 && { speed: String(start.pool.speed) }),
	});
}

export function launchReason(
	{ row, holdMicroUsd, isTrial = false }: Pick<ChosenOffer, "row" | "holdMicroUsd" | "isTrial">,
	run: CloudRun,
	due: DueBurst | null,
	facts: BurstFacts | null,
): Reason {
	const { offer } = row;
	return reason("placed_cloud", {
		offerId: offer.id,
		provider: offer.provider,
		region: offer.region,
		instanceType: offer.instanceType,
		capacityType: offer.capacityType,
		hourlyMicroUsd: String((offer.microUsdPerHour ?? 0n) * BigInt(run.instances)),
		costMicroUsd: String(estimateOf(row, run).totalMicroUsd),
		holdMicroUsd: String(holdMicroUsd),
		startInMs: run.start.p50Ms,
		...speedReasonFacts(row, run),
		...(isTrial && { trial: true }),
		...(run.warm && { warmRule: run.warm.get(offer.id)?.ruleId ?? null }),
		...due?.facts,
		...(facts ? { forecastWaitMs: finiteOrNull(facts.forecastWaitMs) } : {}),
		...(due ? { ruleId: due.ruleId, trigger: due.trigger } : {}),
	});
}

/** Expected run time on the accelerator, and the source of its speed. */
function speedReasonFacts(row: OfferRow, run: CloudRun): Reason["facts"] {
	const speed = run.speeds?.on(row.machine.accelerator);
	if (!speed || speed.source === null) return {};
	return {
		accelerator: row.machine.accelerator,
		runMs: Math.round(run.rest.p50Ms * speed.timeFactor),
		speed: speed.speed.toPrecision(3),
		speedSource: speed.source,
		...(speed.runs > 0 && { speedRuns: speed.runs }),
	};
}

/** Set if the chosen offer's region has a store into which the job's data is copied first. */
export function copyReason(row: OfferRow, run: CloudRun, start: HomeStart | null): Reason {
	const { offer } = row;
	const { waitMs, copyFirst, ms, problem } = stagingOn(row, run);
	const sizes = run.data.map((set) => (copyFirst.includes(set.uri) ? set.sizeGiB : 0));
	const savedMs = Math.max(0, stagingByMachineMs(row, run) - ms);
	return reason("copying_data_ahead", {
		offerId: offer.id,
		provider: offer.provider,
		region: offer.region,
		sets: copyFirst.length,
		gib: sizes.includes(null) ? null : String(sizes.reduce<number>((sum, gib) => sum + (gib ?? 0), 0)),
		readyAtMs: waitMs > 0 ? Math.round(run.terms.nowMs + waitMs) : null,
		savedMicroUsd: savedMs > 0 ? String(Math.round((row.microUsdPerHour * run.instances * savedMs) / HOUR_MS)) : null,
		problem,
		...homeFacts(start),
	});
}

/** Its site at home has room, or will have before its data is there. */
export function copyHomeReason({ place, uris, gib, readyAtMs, microUsd, problem }: HomeCopy, start: HomeStart): Reason {
	return reason("copying_data_home", {
		...{ siteId: place, poolId: start.pool.view.id, sets: uris.length, gib: String(gib), readyAtMs, problem },
		egressMicroUsd: microUsd > 0 ? String(microUsd) : null,
	});
}

export function budgetReason(choice: { row: OfferRow; short: BudgetShort }, due: DueBurst, start: HomeStart | null): Reason {
	return reason("budget_exceeded", {
		...budgetFacts(choice.short),
		offerId: choice.row.offer.id,
		burstRuleId: due.ruleId,
		...homeFacts(start),
	});
}

export function approvalReason(choice: { row: OfferRow; ask: ApprovalAsk }, job: PendingJob, due: DueBurst): Reason {
	const { ask, row } = choice;
	return reason("approval_required", {
		ruleId: ask.ruleId,
		role: ask.role,
		costMicroUsd: String(ask.costMicroUsd),
		approvedMicroUsd: job.approvedMicroUsd === null ? null : String(job.approvedMicroUsd),
		offerId: row.offer.id,
		burstRuleId: due.ruleId,
	});
}

export function noProgressReason({ attempts, lostMs, lostMicroUsd }: FruitlessAttempts): Reason {
	return reason("no_progress", { attempts, lostMs, lostMicroUsd: String(lostMicroUsd) });
}

/** Approval was requested but not granted at this cost: it waits for home as if no rule let it leave. */
export function notApprovedReason(ask: ApprovalAsk, said: ApprovalAnswer, start: HomeStart | null): Reason {
	return reason("waiting_not_approved", {
		ruleId: ask.ruleId,
		role: ask.role,
		answer: said.answer,
		costMicroUsd: String(ask.costMicroUsd),
		approvedMicroUsd: said.upToMicroUsd === null ? null : String(said.upToMicroUsd),
		...homeFacts(start),
	});
}

/** Spot is unavailable, its deadline allows waiting for it, and firm capacity would cost more. */
export function spotReason(choice: Extract<OfferChoice, { kind: "waits_for_spot" }>, run: CloudRun, start: HomeStart | null): Reason {
	const hourly = (microUsd: number | bigint): string => String(BigInt(Math.round(Number(microUsd))) * BigInt(run.instances));
	return reason("waiting_for_spot", {
		untilMs: Math.round(choice.untilMs),
		askAgainMs: choice.askAgainMs,
		zones: choice.zones,
		offerId: choice.row.offer.id,
		hourlyMicroUsd: hourly(choice.row.offer.microUsdPerHour ?? 0n),
		spotHourlyMicroUsd: hourly(choice.spotMicroUsdPerHour),
		...homeFacts(start),
	});
}

interface Waiting {
	queued: QueuedJob;
	shape: Shape;
	start: HomeStart | null;
	due: DueBurst | null;
	choice: OfferChoice | null;
	facts: BurstFacts;
	snapshot: Snapshot;
}

export function waitReason(w: Waiting): Reason {
	if (w.snapshot.noSites) return reason("waiting_no_allowed_offer", { offers: 0, noSites: true });
	if (w.choice?.kind === "backed_off") {
		return reason("capacity_backoff", { untilMs: w.choice.untilMs, offers: w.shape.offers().eligible.length, ...homeFacts(w.start) });
	}
	if (w.choice?.kind === "over_cap") {
		return reason("cap_exceeded", { ...capFacts(w.choice.short), offerId: w.choice.row.offer.id, ...homeFacts(w.start) });
	}
	if (w.choice?.kind === "none" && !(w.start && !w.shape.offers().possible)) return noOfferReason(w);
	if (w.choice?.kind === "none") {
		// No rule or machine lets it leave: it waits for home, and the reason it cannot leave is an additional fact.
		const why = w.shape.mainRemoval();
		return reason("waiting_for_home", {
			...why?.facts,
			...homeFacts(w.start),
			ahead: w.facts.queueLength - 1,
			cloudCause: why?.why ?? null,
			cloudRuleId: why?.ruleId ?? null,
		});
	}
	const first = w.shape.verdict.burst[0];
	const next = w.due ? null : nextBurst(w.shape.verdict.burst, w.facts);
	if (!w.due && first && (next || !w.start)) {
		return reason("waiting_to_burst", {
			ruleId: next?.ruleId ?? first.ruleId,
			thresholdMs: next?.thresholdMs ?? null,
			dueInMs: next?.inMs ?? null,
			forecastWaitMs: finiteOrNull(w.facts.forecastWaitMs),
			...homeFacts(w.start),
		});
	}
	return reason("waiting_for_home", {
		...homeFacts(w.start),
		// If no pool responds, there is no queue position.
		...(w.start ? { ahead: w.facts.queueLength - 1 } : {}),
		...(first ? { ruleId: w.due?.ruleId ?? first.ruleId, thresholdMs: first.forecastWaitMs } : {}),
		...(w.due ? { cloudStartMs: w.snapshot.nowMs + w.snapshot.cloudStartMs.p50Ms } : {}),
	});
}

function noOfferReason(w: Waiting): Reason {
	const why = (w.choice?.kind === "none" ? w.choice.main : null) ?? w.shape.mainRemoval();
	return reason("waiting_no_allowed_offer", {
		...why?.facts,
		offers: w.snapshot.offers.length,
		cause: why?.why ?? null,
		ruleId: why?.ruleId ?? null,
		removedByCause: why?.count ?? 0,
		...homeFacts(w.start),
	});
}

/** Other jobs make room for it: it starts once they have saved and stopped. */
export function roomReason(eviction: Eviction, ahead: number): Reason {
	const { startMs, victims, ruleId } = eviction;
	return reason("waiting_for_home", { startP50Ms: startMs, startP90Ms: startMs, ahead, evicted: victims.length, preemptRuleId: ruleId });
}

/** When home would start it; null if no responding pool can. */
function homeFacts(start: HomeStart | null): Reason["facts"] {
	return { startP50Ms: start?.range.p50Ms ?? null, startP90Ms: start?.range.p90Ms ?? null };
}
