import type { Offer, Placement } from "#server/domain/capacity.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { assert } from "#server/kernel/assert.ts";
import { attemptIdOf, instanceIdOf } from "#server/kernel/ids.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { openCaps } from "#server/scheduling/caps.ts";
import type { Action, Snapshot } from "#server/scheduling/types.ts";
import type { SimContext } from "./context.ts";
import type { AttemptRecord, InstanceRecord, JobRecord } from "./records.ts";
import { simId } from "./sim-ids.ts";
import { runningAttempt } from "./snapshot.ts";

/** Counterparts of services/job: each is atomic, and guarded so that a stale plan changes nothing. */

type Act<K extends Action["kind"]> = Extract<Action, { kind: K }>;

/** The attempt written, or null when the job moved on or a slot is taken. */
export function placeHome(ctx: SimContext, action: Act<"place_home">): AttemptRecord | null {
	const { book, scenario } = ctx;
	const pool = scenario.pools.find((p) => p.id === action.poolId);
	const row = book.jobs.get(action.jobId);
	if (!pool || !row || !canAdmit(row, action.attemptNo)) return null;
	for (const open of book.openAllocations.values()) {
		if (open.poolId === pool.id && open.slots.some((s) => action.slots.includes(s))) return null;
	}
	const placement: Placement = {
		siteId: pool.siteId,
		provider: pool.provider,
		region: null,
		zone: null,
		capacityType: "owned",
		instanceType: null,
		poolId: pool.id,
		accelerator: pool.accelerator,
	};
	admit(ctx, row, action, placement);
	const attempt = newAttempt(ctx, row, placement, action.slots.length, action.slots);
	book.addAttempt(attempt);
	book.addAllocation({
		id: simId("alc", ctx.nowMs(), ctx.random.ids),
		attemptId: attempt.id,
		jobId: row.id,
		siteId: pool.siteId,
		poolId: pool.id,
		slots: action.slots,
		microUsdPerGpuHour: pool.microUsdPerGpuHour,
		startedAtMs: ctx.nowMs(),
		endedAtMs: null,
	});
	return attempt;
}

/** The instance intent written; null when the plan was stale, or when money was short and the job is now held. */
export function placeInCloud(ctx: SimContext, action: Act<"launch">, snapshot: Snapshot): InstanceRecord | null {
	const { book, scenario } = ctx;
	const row = book.jobs.get(action.jobId);
	// The real transaction takes the hold first and rolls it back if the job has moved on.
	if (!row || !canAdmit(row, action.attemptNo)) return null;
	const { offer } = action;
	assert(offer.microUsdPerHour !== null && offer.microUsdPerHour > 0n, "an offer without a price was chosen");
	if (passesCap(ctx, action, row, snapshot)) return null;
	const instanceId = instanceIdOf(row.id, action.attemptNo, 0);
	const rules = scenario.policy.budgets.filter((b) => action.budgetIds.includes(b.id));
	const refusal = ctx.budgets.place(instanceId, action.holdMicroUsd, rules, ctx.nowMs());
	if (refusal) {
		const { budgetId, ...amounts } = refusal;
		const facts = Object.fromEntries(Object.entries(amounts).map(([name, micro]) => [name, String(micro)]));
		setWaiting(ctx, row.id, "held", reason("budget_exceeded", { budgetId, ...facts }));
		return null;
	}
	const placement = placementOf(offer);
	admit(ctx, row, action, placement);
	const attempt = newAttempt(ctx, row, placement, offer.gpus, []);
	attempt.instanceId = instanceId;
	book.addAttempt(attempt);
	const instance = newInstance(instanceId, attempt, offer, offer.microUsdPerHour, ctx.nowMs(), action.lifeMs);
	book.addInstance(instance);
	return instance;
}

/** Counterpart of services/job/ask-caps: recounts every instance that has not ended. */
function passesCap(ctx: SimContext, action: Act<"launch">, row: JobRecord, snapshot: Snapshot): boolean {
	const { policy } = ctx.scenario;
	if (policy.caps.length === 0) return false;
	const running = Array.from(ctx.book.liveInstances, (i) => runningAttempt(ctx, ctx.book.attempt(i.attemptId), ctx.book.jobOf(i)));
	const book = openCaps({ ...snapshot, running }, (spec) => judgeJob(policy, spec).caps);
	const ask = { microUsdPerHour: action.offer.microUsdPerHour ?? 0n, instances: 1, egressGiB: 0 };
	return book.shortOf(judgeJob(policy, row.spec).caps, ask) !== null;
}

function placementOf(offer: Offer): Placement {
	const { siteId, provider, region, zone, capacityType, instanceType, accelerator } = offer;
	return { siteId, provider, region, zone, capacityType, instanceType, poolId: null, accelerator };
}

export function setWaiting(ctx: SimContext, jobId: string, state: "queued" | "held", why: Reason): boolean {
	const row = ctx.book.jobs.get(jobId);
	if (!row || !isPending(row) || row.cancelRequestedAtMs !== null) return false;
	ctx.book.moveJob(row, state);
	row.reason = why;
	if (state === "held") ctx.sink.news({ kind: "job_held", atMs: ctx.nowMs(), jobId, instanceId: null, siteId: null, reason: why });
	return true;
}

export function failWaiting(ctx: SimContext, jobId: string, why: Reason): boolean {
	const row = ctx.book.jobs.get(jobId);
	if (!row || !isPending(row)) return false;
	ctx.book.moveJob(row, "failed");
	Object.assign(row, { reason: why, finishedAtMs: ctx.nowMs() });
	ctx.sink.news({ kind: "job_failed", atMs: ctx.nowMs(), jobId, instanceId: null, siteId: null, reason: why });
	return true;
}

function isPending(row: JobRecord): boolean {
	return row.state === "queued" || row.state === "held";
}

function canAdmit(row: JobRecord, attemptNo: number): boolean {
	return isPending(row) && row.attempts === attemptNo - 1 && row.cancelRequestedAtMs === null;
}

function admit(ctx: SimContext, row: JobRecord, action: { attemptNo: number; reason: Reason }, placement: Placement): void {
	ctx.book.moveJob(row, "admitted");
	Object.assign(row, { attempts: action.attemptNo, placement, reason: action.reason });
	ctx.sink.news({
		kind: "job_placed",
		atMs: ctx.nowMs(),
		jobId: row.id,
		instanceId: null,
		siteId: placement.siteId,
		reason: action.reason,
	});
}

function newAttempt(ctx: SimContext, row: JobRecord, placement: Placement, gpus: number, slots: number[]): AttemptRecord {
	return {
		id: attemptIdOf(row.id, row.attempts),
		jobId: row.id,
		number: row.attempts,
		state: "starting",
		placement,
		gpus,
		slots,
		createdAtMs: ctx.nowMs(),
		handedOverAtMs: null,
		stagingAtMs: null,
		startedAtMs: null,
		stopRequestedAtMs: null,
		stopReason: null,
		move: null,
		finishedAtMs: null,
		reason: null,
		exitCode: null,
		exitSignal: null,
		completedBeforeMs: row.completedMs,
		instanceId: null,
	};
}

function newInstance(
	id: string,
	attempt: AttemptRecord,
	offer: Offer,
	microUsdPerHour: bigint,
	nowMs: number,
	lifeMs: number,
): InstanceRecord {
	return {
		id,
		jobId: attempt.jobId,
		attemptId: attempt.id,
		offer,
		microUsdPerHour,
		state: "intended",
		providerInstanceId: null,
		intendedAtMs: nowMs,
		requestedAtMs: null,
		lastCallAtMs: null,
		calls: 0,
		lastError: null,
		launchedAtMs: null,
		readyAtMs: null,
		interruptionAtMs: null,
		terminatingAtMs: null,
		terminateCalls: 0,
		lastTerminateCallAtMs: null,
		terminatedAtMs: null,
		lastSeenAtMs: null,
		reason: null,
		expiresAtMs: nowMs + lifeMs,
		meteredUntilMs: null,
		costMicroUsd: 0n,
	};
}
