import { EXPLAINED_CANDIDATES, type Explanation, type Outcome, type TimeRange } from "#server/domain/decision.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { burstFactsOf, type DueBurst, dueBurst } from "./burst.ts";
import { chooseOffer, type OfferChoice, takeChoice } from "./choose-offer.ts";
import { type CloudRun, cloudRunOf } from "./cost.ts";
import type { Cycle } from "./cycle.ts";
import { deferral, startAtHome, startInCloud } from "./defer.ts";
import { type Eviction, evictActions } from "./evict.ts";
import { explain } from "./explain.ts";
import { type HomeStart, homeStart, homeStartAt, replayedRange, reserveHome, takeSlots } from "./home.ts";
import { impossibility } from "./impossible.ts";
import { LIMITS } from "./limits.ts";
import type { QueuedJob } from "./order.ts";
import { replayedRestMs } from "./run-time.ts";
import type { Shape } from "./shape.ts";
import type { Action } from "./types.ts";
import { stayReason } from "./weigh-waiting.ts";
import { approvalReason, budgetReason, homeReason, launchReason, roomReason, waitReason } from "./why.ts";

/** What was found for one job; turned into an action, a reason and an explanation by `record`. */
export interface Finding {
	queued: QueuedJob;
	shape: Shape;
	run: CloudRun;
	start: HomeStart | null;
	due: DueBurst | null;
	choice: OfferChoice | null;
	outcome: Outcome;
	reason: Reason;
	/** It could start now, and waits for a better hour: no slots are kept for it until then. */
	putOffUntilMs: number | null;
	/** Room that others make for it. */
	eviction: Eviction | null;
}

export function decideJob(cycle: Cycle, queued: QueuedJob): void {
	settle(cycle, findFor(cycle, queued));
}

/** Writes what was found into the plan, and takes what it uses. */
export function settle(cycle: Cycle, finding: Finding): void {
	const { queued, eviction } = finding;
	const { job } = queued;
	if (finding.start) cycle.plan.forecasts.set(job.jobId, startNotBefore(finding.start.range, finding.putOffUntilMs));
	if (finding.start && cycle.snapshot.forecastScale) cycle.plan.replayed?.set(job.jobId, replayedRange(finding.start));
	const acts = finding.outcome !== "wait" || job.state === "held";
	const stillHeld = finding.outcome === "hold" && job.state === "held";
	if ((acts && !stillHeld && !cycle.brief) || cycle.explainOnly.has(job.jobId))
		cycle.plan.explanations.push(explainFinding(cycle, finding));
	const action = actionOf(finding);
	if (eviction) cycle.plan.actions.push(...evictActions(eviction, queued));
	if (action && !stillHeld) cycle.plan.actions.push(action);
	if (finding.outcome === "wait" || finding.outcome === "hold") {
		cycle.plan.waiting.set(job.jobId, finding.reason);
		if (finding.start) cycle.waitingForHome++;
	}
	if (finding.outcome === "launch" && finding.choice?.kind === "chosen") {
		takeChoice(cycle.budgets, finding.shape.verdict, finding.choice, finding.run);
	}
	const usesHome = finding.outcome !== "launch" && finding.outcome !== "fail";
	if (usesHome && finding.start && finding.putOffUntilMs === null) {
		const replayedMs = replayedRestMs(job, cycle.core.runTimeOf(job.spec), queued.rest, finding.start.pool.slots);
		reserveHome(finding.start, job.spec, queued.rest, replayedMs);
	}
}

function startNotBefore({ p50Ms, p90Ms }: TimeRange, atMs: number | null): TimeRange {
	return atMs === null ? { p50Ms, p90Ms } : { p50Ms: Math.max(p50Ms, atMs), p90Ms: Math.max(p90Ms, atMs) };
}

function findFor(cycle: Cycle, queued: QueuedJob): Finding {
	const { snapshot } = cycle;
	const { job } = queued;
	const shape = cycle.core.shapeOf(job.spec);
	const run = cloudRunOf(queued, shape.verdict, snapshot);
	const base = { queued, shape, run, start: null, due: null, choice: null, putOffUntilMs: null, eviction: null };

	const { maxMs } = job.spec.duration;
	if (maxMs !== null && job.completedMs >= maxMs) {
		return { ...base, outcome: "fail", reason: reason("max_duration_exceeded", { maxMs, ranMs: job.completedMs }) };
	}
	const impossible = impossibility(job.spec, shape, snapshot);
	if (impossible) return { ...base, outcome: "fail", reason: impossible };

	const start = homeStart(shape.home, job.spec, queued.rest, snapshot);
	const facts = burstFactsOf(queued, start?.range.p50Ms ?? null, cycle.waitingForHome, snapshot.nowMs);
	const due = dueBurst(shape.verdict.burst, facts);
	if (start?.now) {
		const later = deferral(snapshot, queued, shape.verdict, startAtHome(start.pool.view, job.spec));
		if (later) return { ...base, start, due, outcome: "wait", reason: later.reason, putOffUntilMs: later.untilMs };
		return { ...base, start, due, outcome: "place_home", reason: homeReason(start, job.spec) };
	}

	const eviction =
		start &&
		cycle.evictions.makeRoom(
			{
				queued,
				verdict: shape.verdict,
				pools: shape.home,
				startMs: start.at.startMs,
				leaves: due !== null && start.range.p50Ms > snapshot.nowMs + run.start.p50Ms,
			},
			cycle.settled,
		);
	if (eviction) {
		const room = homeStartAt(eviction.pool, eviction.nodes, eviction.startMs);
		return { ...base, start: room, due, eviction, outcome: "wait", reason: roomReason(eviction, cycle.waitingForHome) };
	}

	const wait = (choice: OfferChoice | null): Finding => {
		const why = waitReason({ queued, shape, run, start, due, choice, facts, snapshot });
		return { ...base, start, due, choice, outcome: "wait", reason: why };
	};
	// Cash at home is 0, so money alone would never leave: the rule is the policy's wish to leave, unless home is sooner.
	if (!due || (start && start.range.p50Ms <= snapshot.nowMs + run.start.p50Ms)) return wait(null);
	const choice = chooseOffer(shape, job, run, cycle.budgets, cycle.core.askApproval, snapshot.nowMs, due);
	const home = start && { view: start.pool.view, range: start.range };
	const stay = stayReason({ snapshot, queued, run, due, choice, home, ahead: cycle.waitingForHome });
	if (stay) return { ...base, start, due, outcome: "wait", reason: stay };
	switch (choice.kind) {
		case "chosen": {
			const later = deferral(snapshot, queued, shape.verdict, startInCloud(choice.row, run));
			if (later) return { ...base, start, due, outcome: "wait", reason: later.reason, putOffUntilMs: later.untilMs };
			const why = launchReason(choice.row, choice.holdMicroUsd, run, due, facts);
			return { ...base, start, due, choice, outcome: "launch", reason: why };
		}
		case "over_budget":
			return { ...base, start, due, choice, outcome: "hold", reason: budgetReason(choice, due, start) };
		case "needs_approval":
			return { ...base, start, due, choice, outcome: "hold", reason: approvalReason(choice, job, due) };
		case "over_cap":
		case "backed_off":
		case "none":
			return wait(choice);
	}
}

function actionOf(finding: Finding): Action | null {
	const { queued, outcome, choice, start, shape } = finding;
	const { jobId, nextAttemptNo: attemptNo, state, spec } = queued.job;
	switch (outcome) {
		case "place_home":
			return (
				start && { kind: "place_home", jobId, attemptNo, poolId: start.pool.view.id, slots: takeSlots(start, spec), reason: finding.reason }
			);
		case "launch": {
			if (choice?.kind !== "chosen") return null;
			const budgetIds = shape.verdict.budgets.map((b) => b.id);
			const { holdMicroUsd, row } = choice;
			return {
				kind: "launch",
				jobId,
				attemptNo,
				offer: row.offer,
				instances: spec.nodes,
				lifeMs: choice.lifeMs,
				holdMicroUsd,
				budgetIds,
				reason: finding.reason,
			};
		}
		case "hold":
			return { kind: "hold", jobId, reason: finding.reason };
		case "fail":
			return { kind: "fail", jobId, reason: finding.reason };
		case "wait":
			return state === "held" ? { kind: "release", jobId, reason: finding.reason } : null;
	}
}

function explainFinding(cycle: Cycle, finding: Finding): Explanation {
	const homeRange: TimeRange | null = finding.start?.range ?? null;
	const placedIn = finding.outcome === "place_home" ? (finding.start?.pool ?? null) : null;
	const full = cycle.plan.explanations.length < LIMITS.fullExplanations || cycle.explainOnly.has(finding.queued.job.jobId);
	const candidates = full ? EXPLAINED_CANDIDATES : LIMITS.briefCandidates;
	return explain({ ...finding, snapshot: cycle.snapshot, homeRange, placedIn, candidates });
}
