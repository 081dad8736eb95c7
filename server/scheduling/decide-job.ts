import type { DataRead } from "#server/domain/capacity.ts";
import { EXPLAINED_CANDIDATES, type Explanation, type Outcome, type TimeRange } from "#server/domain/decision.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { type BurstFacts, burstFactsOf, type DueBurst, dueBurst } from "./burst.ts";
import { chooseOffer, chooseWarm, firmStagingMs, type OfferChoice, takeChoice } from "./choose-offer.ts";
import type { HomeCopy } from "./copy-home.ts";
import { type CloudRun, cloudRunOf, costTermsOf, stagingOn } from "./cost.ts";
import type { Cycle } from "./cycle.ts";
import { deferral, startAtHome, startInCloud } from "./defer.ts";
import { evictActions } from "./evict.ts";
import { explain } from "./explain.ts";
import type { Finding } from "./finding.ts";
import { allowsWaiting } from "./firm-only.ts";
import { type HomeStart, homeStart, homeStartAt, notBefore, replayedRange, reserveHome, takeSlots } from "./home.ts";
import type { HomePool } from "./home-pool.ts";
import { impossibleReason } from "./impossible.ts";
import type { KeptQueue } from "./kept-queue.ts";
import { LIMITS } from "./limits.ts";
import type { QueuedJob } from "./order.ts";
import { requestOf } from "./request-approval.ts";
import type { Shape } from "./shape.ts";
import type { Action, PendingJob, WarmMachine } from "./types.ts";
import { stayReason, waitsForAnyOffer, waitsForEveryOffer } from "./weigh-waiting.ts";
import {
	approvalReason,
	budgetReason,
	copyHomeReason,
	copyReason,
	homeReason,
	launchReason,
	noProgressReason,
	notApprovedReason,
	roomReason,
	spotReason,
	waitReason,
} from "./why.ts";

const NO_REASON = reason("waiting_for_home", {});
/** Facts for jobs that need no explanation. */
const EMPTY_FACTS: BurstFacts = { forecastWaitMs: 0, waitedMs: 0, slackMs: Number.POSITIVE_INFINITY, queueLength: 0 };

export function decideJob(cycle: Cycle, queued: QueuedJob): void {
	if (cycle.kept) {
		decideInPlace(cycle, cycle.kept, queued);
		return;
	}
	const isOther = cycle.asked.size > 0 && !cycle.asked.has(queued.job.jobId);
	settle(cycle, isOther ? findAgain(cycle, queued) : findFor(cycle, queued));
}

/** Starts at the place that the job had in the last queue, if nothing before it changed. */
function decideInPlace(cycle: Cycle, queue: KeptQueue, queued: QueuedJob): void {
	const known = queue.find(queued);
	if (known?.waits) {
		cycle.waitingForHome++;
		reserveHome(known.start, queued.job.spec, queued.rest, known.replayedMs);
		queue.keep(known);
		return;
	}
	const finding = findFor(cycle, queued, known?.start);
	settle(cycle, finding);
	const { start } = finding;
	const replayedMs = start && reservesHome(finding) ? cycle.core.replayedRestMs(queued, start.pool.slots) : null;
	queue.note(finding, known, replayedMs, finding.waitsOn && waitsForChange(cycle, finding));
}

/**
 * Whether a job that waits now, with the same start at home, waits at any later time too. A deadline, a reported speed and room
 * from evictions may change that without any change at home.
 */
function waitsForChange({ snapshot }: Cycle, { queued, shape, outcome }: Finding): boolean {
	const { job } = queued;
	return (
		outcome === "wait" &&
		job.state !== "held" &&
		job.spec.deadlineMs === null &&
		shape.verdict.preempt.length === 0 &&
		snapshot.throughput === undefined
	);
}

/** Within one moment, pending jobs get the same results for every quote, so only their allocations are repeated. */
function findAgain(cycle: Cycle, queued: QueuedJob): Finding {
	const known = cycle.found.get(queued.job);
	if (known) {
		known.start?.pool.refresh();
		known.start?.late?.pool.refresh();
		return known;
	}
	const finding = findFor(cycle, queued);
	// Finding room from evictions also claims it, so it must be done again.
	if (finding.eviction === null) cycle.found.set(queued.job, finding);
	return finding;
}

/** Writes a finding to the plan and allocates its resources. */
export function settle(cycle: Cycle, finding: Finding): void {
	const { queued, eviction } = finding;
	const { job } = queued;
	const stillHeld = finding.outcome === "hold" && job.state === "held";
	if (isExplained(cycle, job)) recordReason(cycle, finding);
	if (cycle.asked.has(job.jobId)) return;
	if (eviction) cycle.plan.actions.push(...evictActions(eviction, queued));
	const action = stillHeld ? null : actionOf(finding);
	if (action) cycle.plan.actions.push(action);
	if (finding.start && (finding.outcome === "wait" || finding.outcome === "hold")) cycle.waitingForHome++;
	if (finding.outcome === "launch" && finding.choice?.kind === "chosen" && finding.run) {
		takeChoice(cycle.budgets, finding.shape.verdict, finding.choice, finding.run, job);
	}
	if (finding.outcome === "wait" && finding.choice?.kind === "chosen" && finding.run) {
		const { row } = finding.choice;
		const { copyFirst: uris, copyFrom: from } = stagingOn(row, finding.run);
		cycle.plan.copyAhead ??= new Map();
		cycle.plan.copyAhead.set(job.jobId, { place: row.placeKey, uris, from });
	} else if (finding.homeCopy && finding.outcome === "wait") {
		const { place, uris, from } = finding.homeCopy;
		cycle.plan.copyAhead ??= new Map();
		cycle.plan.copyAhead.set(job.jobId, { place, uris, from });
	}
	if (finding.start && reservesHome(finding)) {
		reserveHome(finding.start, job.spec, queued.rest, cycle.core.replayedRestMs(queued, finding.start.pool.slots));
	}
}

function reservesHome({ outcome, start, putOffUntilMs }: Finding): boolean {
	return start !== null && putOffUntilMs === null && outcome !== "launch" && outcome !== "fail";
}

/** Whether this job's result is reported beyond its action. */
function isExplained({ actionsOnly, asked }: Cycle, { jobId }: PendingJob): boolean {
	return !actionsOnly && (asked.size === 0 || asked.has(jobId));
}

/** Output of the plan other than actions: forecasts, reasons for lists, explanations. */
function recordReason(cycle: Cycle, finding: Finding): void {
	const { job } = finding.queued;
	if (finding.start) cycle.plan.forecasts.set(job.jobId, startNotBefore(finding.start.range, finding.putOffUntilMs));
	if (finding.start && cycle.snapshot.forecastScale) cycle.plan.replayed?.set(job.jobId, replayedRange(finding.start));
	const acts = finding.outcome !== "wait" || job.state === "held";
	const stillHeld = finding.outcome === "hold" && job.state === "held";
	if ((acts && !stillHeld && !cycle.brief) || cycle.explainOnly.has(job.jobId))
		cycle.plan.explanations.push(explainFinding(cycle, finding));
	if (finding.outcome === "wait" || finding.outcome === "hold") cycle.plan.waiting.set(job.jobId, finding.reason);
	const request = finding.outcome === "hold" ? requestOf(finding, cycle.snapshot) : null;
	if (request) {
		cycle.plan.asks ??= new Map();
		cycle.plan.asks.set(job.jobId, request);
	}
}

function startNotBefore({ p50Ms, p90Ms }: TimeRange, atMs: number | null): TimeRange {
	return atMs === null ? { p50Ms, p90Ms } : { p50Ms: Math.max(p50Ms, atMs), p90Ms: Math.max(p90Ms, atMs) };
}

/** `known`: its start at home, if it need not be searched for. */
function findFor(cycle: Cycle, queued: QueuedJob, known?: HomeStart): Finding {
	const finding = findPlace(cycle, queued, known);
	const { homeCopy, start } = finding;
	// It waits without slots, and is decided again in each cycle until its data is there.
	if (!homeCopy || !start || finding.outcome === "launch") return finding;
	finding.waitsOn = false;
	if (!start.waitsForData || finding.putOffUntilMs !== null) return finding;
	// Its data is what it waits for, unless that is copied to a cloud.
	if (finding.outcome === "wait" && finding.choice?.kind !== "chosen") finding.reason = copyHomeReason(homeCopy, start);
	return putOff(finding, homeCopy.readyAtMs);
}

/** Data that its site must receive first. Work with reserved slots starts in them and fetches its data itself. */
function homeCopyOf({ snapshot }: Cycle, { job }: QueuedJob, { pool, range, slots }: HomeStart): HomeCopy | null {
	if (!snapshot.data?.stores || slots || job.spec.data.length === 0) return null;
	return costTermsOf(snapshot).data.copyHome(job.spec.data, pool.view.siteId, job.submittedAtMs, range.p50Ms);
}

function findPlace(cycle: Cycle, queued: QueuedJob, known?: HomeStart): Finding {
	const { snapshot } = cycle;
	const { job } = queued;
	const shape = cycle.core.shapeOf(job.spec);
	const { maxMs } = job.spec.duration;
	const ranMs = job.completedByClockMs ?? job.completedMs;
	if (maxMs !== null && ranMs >= maxMs) return found(queued, shape, "fail", reason("max_duration_exceeded", { maxMs, ranMs }));
	const impossible = impossibleReason(job.spec, shape, snapshot);
	if (impossible) return found(queued, shape, "fail", impossible);

	const { notPools } = job;
	const pools = notPools ? shape.home.filter(({ view }) => !notPools.includes(view.id)) : shape.home;
	const room = known ?? homeStart(pools, job.spec, queued.rest, snapshot, !cycle.actionsOnly);
	const homeCopy = room && homeCopyOf(cycle, queued, room);
	const start = room && homeCopy ? notBefore(room, homeCopy.readyAtMs) : room;
	const placed = findWith(cycle, queued, shape, { pools, start, homeCopy });
	placed.homeCopy = homeCopy;
	return placed;
}

interface HomeRoom {
	pools: readonly HomePool[];
	start: HomeStart | null;
	homeCopy: HomeCopy | null;
}

/** `start` is not before the data that its site still needs. */
function findWith(cycle: Cycle, queued: QueuedJob, shape: Shape, home: HomeRoom): Finding {
	const { pools, start, homeCopy } = home;
	const { snapshot } = cycle;
	const { job } = queued;
	const { nowMs } = snapshot;
	const sooner = start !== null && start.range.p50Ms <= nowMs + snapshot.cloudStartMs.p50Ms && (start.now || canWait(cycle, queued, shape));
	// If home is sooner anyway, the rule that would let the job leave matters only for explanations.
	const silent = sooner && !isHeard(cycle, job);
	const facts = silent ? EMPTY_FACTS : burstFactsOf(queued, start?.range.p50Ms ?? Number.POSITIVE_INFINITY, cycle.waitingForHome, nowMs);
	const due = silent ? null : dueBurst(shape.verdict.burst, facts);
	if (start?.now) {
		const { defers } = shape.verdict;
		const later =
			defers.length === 0
				? null
				: deferral(snapshot, queued, shape.verdict, startAtHome(start.pool.view, job.spec), cycle.core.runTimeOf(job.spec));
		if (later) return putOff(found(queued, shape, "wait", later.reason, start, due), later.untilMs);
		return found(queued, shape, "place_home", homeReason(start, job.spec), start, due);
	}
	const leaves = due !== null && !sooner;
	// Home does not reclaim its slots, so the job keeps its place in that queue.
	if (job.fruitless && leaves) return found(queued, shape, "hold", noProgressReason(job.fruitless), start, due);
	// Room is made only for a deadline, or for a job that would otherwise leave.
	if (start !== null && !homeCopy && (leaves || job.spec.deadlineMs !== null) && shape.verdict.preempt.length > 0) {
		const asked = cycle.asked.has(job.jobId);
		const wanted = { queued, verdict: shape.verdict, pools, startMs: start.at.startMs, leaves, asked };
		const eviction = cycle.evictions.makeRoom(wanted, cycle.settled);
		if (eviction) {
			const room = homeStartAt(eviction.pool, eviction.nodes, eviction.startMs);
			const making = found(queued, shape, "wait", roomReason(eviction, cycle.waitingForHome), room, due);
			making.eviction = eviction;
			return making;
		}
	}
	// Cash at home is 0, so cost alone would never leave home. The rule expresses the policy's preference to leave, unless home is
	// sooner.
	if (!due || sooner) {
		const why = waitFor(cycle, { queued, shape, start, due, choice: null, facts, snapshot });
		return waitOn(found(queued, shape, "wait", why, start, due), sooner || shape.verdict.burst.length === 0);
	}
	return findOffer(cycle, queued, shape, start, due, facts);
}

/** A median start at home in a minute may turn out to be an hour. A deadline without time for that does not rely on it. */
function canWait({ snapshot, core }: Cycle, queued: QueuedJob, shape: Shape): boolean {
	const { job } = queued;
	if (job.spec.deadlineMs === null) return true;
	const run = cloudRunOf(queued, shape.verdict, snapshot, core.runTimeOf(job.spec));
	return allowsWaiting(job, run, snapshot.nowMs, firmStagingMs(shape, run));
}

/** The job may leave, and the cloud would start it sooner than home: find the cloud placement. */
function findOffer(cycle: Cycle, queued: QueuedJob, shape: Shape, start: HomeStart | null, due: DueBurst, facts: BurstFacts): Finding {
	const { snapshot } = cycle;
	const { job } = queued;
	// A job for which no reason is needed skips the choice if it ends in waiting.
	const unheard = start !== null && !isHeard(cycle, job) ? { view: start.pool.view, p50Ms: start.range.p50Ms } : null;
	if (unheard && waitsForAnyOffer(snapshot, queued, shape, due, unheard))
		return waitOn(found(queued, shape, "wait", NO_REASON, start, due), shape.comparesWaiting);
	const launched = cloudRunOf(queued, shape.verdict, snapshot, cycle.core.runTimeOf(job.spec));
	if (unheard && waitsForEveryOffer(snapshot, queued, launched, shape, due, unheard))
		return found(queued, shape, "wait", NO_REASON, start, due);
	const { choice, run } = bestChoice(cycle, queued, shape, launched, due);
	const home = start && { view: start.pool.view, range: start.range };
	const stay = stayReason({ snapshot, queued, run, due, choice, home, ahead: cycle.waitingForHome });
	if (stay) return found(queued, shape, "wait", stay, start, due, null, run);
	switch (choice.kind) {
		case "chosen": {
			const later = deferral(snapshot, queued, shape.verdict, startInCloud(choice.row, run), cycle.core.runTimeOf(job.spec));
			if (later) return putOff(found(queued, shape, "wait", later.reason, start, due, null, run), later.untilMs);
			// The job stays in the queue until its data is there, and is decided again in each cycle.
			if (stagingOn(choice.row, run).copyFirst.length > 0)
				return found(queued, shape, "wait", copyReason(choice.row, run, start), start, due, choice, run);
			const why = launchReason(choice, run, due, facts);
			return found(queued, shape, "launch", why, start, due, choice, run);
		}
		case "over_budget":
			return found(queued, shape, "hold", budgetReason(choice, due, start), start, due, choice, run);
		case "needs_approval":
			if (choice.ask.said)
				return found(queued, shape, "wait", notApprovedReason(choice.ask, choice.ask.said, start), start, due, choice, run);
			return found(queued, shape, "hold", approvalReason(choice, job, due), start, due, choice, run);
		case "waits_for_spot":
			return found(queued, shape, "wait", spotReason(choice, run, start), start, due, choice, run);
		case "over_cap":
		case "backed_off":
		case "none":
			return found(queued, shape, "wait", waitFor(cycle, { queued, shape, start, due, choice, facts, snapshot }), start, due, choice, run);
	}
}

/** A machine that is kept warm, unless a launch costs less, delay included. */
function bestChoice(cycle: Cycle, { job }: QueuedJob, shape: Shape, run: CloudRun, due: DueBurst): { choice: OfferChoice; run: CloudRun } {
	const { snapshot, budgets, core } = cycle;
	const warm = chooseWarm(shape, job, run, snapshot, budgets, core.askApproval, due);
	const choice = chooseOffer(shape, job, run, budgets, core.askApproval, snapshot.nowMs, due);
	return warm && !(choice.kind === "chosen" && choice.scoreMicroUsd < warm.choice.scoreMicroUsd) ? warm : { choice, run };
}

/** Skips the reasons of jobs that were not held when only actions are needed, or only other jobs are quoted. */
function waitFor(cycle: Cycle, waiting: Parameters<typeof waitReason>[0]): Reason {
	return isHeard(cycle, waiting.queued.job) ? waitReason(waiting) : NO_REASON;
}

function isHeard(cycle: Cycle, job: PendingJob): boolean {
	return isExplained(cycle, job) || (cycle.asked.size === 0 && job.state === "held");
}

/** One literal for all findings: the inner loop creates one per job, and copying objects would cost more. */
function found(
	queued: QueuedJob,
	shape: Shape,
	outcome: Outcome,
	why: Reason,
	start: HomeStart | null = null,
	due: DueBurst | null = null,
	choice: OfferChoice | null = null,
	run: CloudRun | null = null,
): Finding {
	return {
		queued,
		shape,
		run,
		start,
		due,
		choice,
		outcome,
		reason: why,
		putOffUntilMs: null,
		eviction: null,
		waitsOn: false,
		homeCopy: null,
	};
}

function waitOn(finding: Finding, waitsOn: boolean): Finding {
	finding.waitsOn = waitsOn;
	return finding;
}

function putOff(finding: Finding, untilMs: number): Finding {
	finding.putOffUntilMs = untilMs;
	return finding;
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
				...launchSpeed(finding),
				lifeMs: choice.lifeMs,
				holdMicroUsd,
				budgetIds,
				...warmOf(finding),
				...(shape.verdict.caps.some((cap) => cap.kind === "egress") && { egressGiB: choice.egressGiB }),
				...readsOf(finding),
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

function warmOf({ run, choice }: Finding): { warm?: WarmMachine } {
	const warm = choice?.kind === "chosen" ? run?.warm?.get(choice.row.offer.id) : undefined;
	return warm ? { warm } : {};
}

function readsOf({ run, choice }: Finding): { reads?: readonly DataRead[] } {
	const reads = run && choice?.kind === "chosen" ? stagingOn(choice.row, run).reads : [];
	return reads.length > 0 ? { reads } : {};
}

function launchSpeed({ run, choice }: Finding): { speed?: number } {
	if (!run?.speeds || choice?.kind !== "chosen") return {};
	const speed = Number(Math.exp(run.speeds.on(choice.row.machine.accelerator).logMedian).toPrecision(4));
	return speed === 1 ? {} : { speed };
}

function explainFinding(cycle: Cycle, finding: Finding): Explanation {
	const homeRange: TimeRange | null = finding.start?.range ?? null;
	const placedIn = finding.outcome === "place_home" ? (finding.start?.pool ?? null) : null;
	const full = cycle.plan.explanations.length < LIMITS.fullExplanations || cycle.explainOnly.has(finding.queued.job.jobId);
	const candidates = full ? EXPLAINED_CANDIDATES : LIMITS.briefCandidates;
	const run = finding.run ?? cloudRunOf(finding.queued, finding.shape.verdict, cycle.snapshot);
	return explain({ ...finding, run, snapshot: cycle.snapshot, homeRange, placedIn, candidates });
}
