import type { Tx } from "#server/db/client.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import type { Action, Plan, Snapshot } from "#server/scheduling/types.ts";
import { LOOP } from "#server/services/core/context.ts";
import { recordDecision } from "#server/services/decision/explain/record-decision.ts";
import { type InputMemory, recordInput } from "#server/services/decision/explain/record-input.ts";
import { settleInstance } from "#server/services/ledger/charge/settle.ts";
import { adoptionsOf } from "#server/services/work/adoption/read.ts";
import { openApproval } from "#server/services/work/approval/open.ts";
import { requestMove } from "#server/services/work/attempt/request-move.ts";
import { requestStop } from "#server/services/work/attempt/request-stop.ts";
import { askCaps } from "#server/services/work/job/ask-caps.ts";
import { placeCloud } from "#server/services/work/job/place-cloud.ts";
import { placeHome } from "#server/services/work/job/place-home.ts";
import { failWaiting, setWaitingState, writeWaiting } from "#server/services/work/job/wait.ts";
import { applyToAdopted, clearLostRoom, type HomeRoomSince } from "./apply-to-adopted.ts";
import type { LoopContext } from "./context.ts";
import { hasChanged, type NotifiedReasons, notifiedAbout } from "./notified-reasons.ts";

/** What to do next: sites with attempts to start, and clouds to call. */
export interface Applied {
	home: Set<string>;
	clouds: Set<string>;
	stopped: number;
	/** Machines that were kept warm and now have a job. */
	assigned: string[];
	/** Copies of data were requested. */
	copies?: boolean;
}

/** State kept between cycles. */
export interface ApplyMemory {
	waiting: NotifiedReasons;
	inputs: InputMemory;
	homeRoomSince: HomeRoomSince;
}

/**
 * Applies a plan: each action in its own transaction, guarded so that a stale one changes nothing. Calls no driver.
 */
export async function applyPlan(ctx: LoopContext, snapshot: Snapshot, plan: Plan, memory: ApplyMemory): Promise<Applied> {
	// Recorded only when the first decision is written: most cycles decide nothing new.
	let kept: Promise<string> | null = null;
	const from: DecidedFrom = { snapshot, inputHash: () => (kept ??= recordInput(ctx.db, snapshot, memory.inputs)) };
	const applied: Applied = { home: new Set(), clouds: new Set(), stopped: 0, assigned: [] };
	const explanations = new Map(plan.explanations.map((e) => [e.jobId, e]));
	const adopted = await adoptionsOf(
		ctx.db,
		plan.actions.map((a) => a.jobId),
	);
	clearLostRoom(memory.homeRoomSince, plan, adopted);
	for (const action of plan.actions) {
		const adoption = adopted.get(action.jobId);
		if (adoption && (await applyToAdopted(ctx, action, adoption, memory.homeRoomSince))) {
			applied.home.add(adoption.siteId);
			continue;
		}
		const explanation = explanations.get(action.jobId);
		// Before the transaction, which holds budget locks: if all other connections wait for those, this query would deadlock.
		if (explanation) await from.inputHash();
		const written = ctx.db.transaction(async (tx) => {
			const done = await applyAction(tx, ctx, snapshot, action, applied);
			const attemptNo = "attemptNo" in action ? action.attemptNo : null;
			const decisionId = done && explanation ? await writeDecision(tx, from, explanation, attemptNo) : null;
			if (done && action.kind === "hold") await openApprovalOf(tx, snapshot, plan, { jobId: action.jobId, decisionId });
		});
		await written.catch((error: unknown) => {
			if (!(error instanceof StalePlan)) throw error;
		});
		if (action.kind === "launch") ctx.probe("launch:intent_written");
		// Releases the rest of the rule's hold.
		for (const id of applied.assigned.splice(0)) await settleInstance(ctx, id);
		if (action.kind === "place_home") ctx.probe("home:intent_written");
		if (action.kind === "move") ctx.probe("move:intent_written");
		memory.waiting.delete(action.jobId);
	}
	await applyWaiting(ctx, from, plan, memory.waiting);
	return applied;
}

async function applyAction(tx: Tx, ctx: LoopContext, snapshot: Snapshot, action: Action, applied: Applied): Promise<boolean> {
	const { nowMs } = snapshot;
	switch (action.kind) {
		case "place_home": {
			const pool = snapshot.pools.find((p) => p.id === action.poolId);
			const driver = pool && ctx.clusters.get(pool.siteId);
			if (!pool || !driver) return false;
			const placed = await placeHome(tx, { ...action, siteId: pool.siteId, provider: driver.provider, nowMs });
			if (placed) applied.home.add(pool.siteId);
			return placed !== null;
		}
		case "launch":
			return applyLaunch(tx, ctx, snapshot, action, applied);
		case "hold":
			return setWaitingState(tx, { jobId: action.jobId, state: "held", reason: action.reason, nowMs });
		case "release":
			return setWaitingState(tx, { jobId: action.jobId, state: "queued", reason: action.reason, nowMs });
		case "fail":
			return failWaiting(tx, { jobId: action.jobId, reason: action.reason, nowMs });
		case "stop":
		case "evict": {
			const first = await requestStop(tx, { attemptId: action.attemptId, reason: action.reason, atMs: nowMs });
			if (first) applied.stopped++;
			return first;
		}
		case "move":
			return requestMove(tx, { attemptId: action.attemptId, to: action.to, reason: action.reason, atMs: action.atMs, nowMs });
	}
}

/** Opens the approval in the transaction that holds the job for it. */
async function openApprovalOf(
	tx: Tx,
	{ policy, policyVersion, pending, nowMs }: Snapshot,
	plan: Plan,
	held: { jobId: string; decisionId: string | null },
): Promise<void> {
	const request = plan.asks?.get(held.jobId);
	if (!request) return;
	const knownAnswers = pending.find(({ jobId }) => jobId === held.jobId)?.approvals ?? [];
	const asked = { ...held, request, policy: { name: policy.name, version: policyVersion }, knownAnswers, nowMs };
	await openApproval(tx, LOOP, asked);
}

/** Checks budgets and caps again in the transaction that writes the intent, because the snapshot may be out of date. */
async function applyLaunch(
	tx: Tx,
	ctx: LoopContext,
	snapshot: Snapshot,
	action: Extract<Action, { kind: "launch" }>,
	applied: Applied,
): Promise<boolean> {
	// The next cycle sees the cap and gives it as the reason.
	if (await exceedsCap(tx, snapshot, action)) return false;
	const budgets = snapshot.policy.budgets.filter((b) => action.budgetIds.includes(b.id));
	const result = await placeCloud(tx, {
		jobId: action.jobId,
		attemptNo: action.attemptNo,
		offer: action.offer,
		instances: action.instances,
		...(action.speed !== undefined && { speed: action.speed }),
		lifeMs: action.lifeMs,
		holdMicroUsd: action.holdMicroUsd,
		budgets,
		...(action.egressGiB !== undefined && { egressGiB: action.egressGiB }),
		...(action.reads && { reads: action.reads }),
		bootstrapHashFor: ctx.bootstrapHashFor,
		...(action.warm && { warmId: action.warm.instanceId }),
		reason: action.reason,
		nowMs: snapshot.nowMs,
	});
	if (result.kind === "placed") {
		applied.clouds.add(action.offer.siteId);
		if (action.warm) applied.assigned.push(action.warm.instanceId);
		return true;
	}
	if (result.kind === "stale") throw new StalePlan();
	const { budgetId, missingMicroUsd, freeMicroUsd, capMicroUsd } = result.refusal;
	const why: Reason = reason("budget_exceeded", {
		budgetId,
		missingMicroUsd: missingMicroUsd.toString(),
		freeMicroUsd: freeMicroUsd.toString(),
		capMicroUsd: capMicroUsd.toString(),
	});
	await setWaitingState(tx, { jobId: action.jobId, state: "held", reason: why, nowMs: snapshot.nowMs });
	return false;
}

async function exceedsCap(tx: Tx, snapshot: Snapshot, action: Extract<Action, { kind: "launch" }>): Promise<boolean> {
	if (snapshot.policy.caps.length === 0) return false;
	const job = snapshot.pending.find((p) => p.jobId === action.jobId);
	if (!job) return true;
	const microUsdPerHour = (action.offer.microUsdPerHour ?? 0n) * BigInt(action.instances);
	const ask = { microUsdPerHour, instances: action.instances, egressGiB: action.egressGiB ?? 0, takes: action.warm };
	return (await askCaps(tx, { snapshot, spec: job.spec, ask })) !== null;
}

/** Rolls back a placement because the job changed meanwhile; the next cycle decides again. */
class StalePlan extends Error {
	override name = "StalePlan";
}

/** The snapshot of a decision and the hash under which it is recorded. */
interface DecidedFrom {
	snapshot: Snapshot;
	inputHash: () => Promise<string>;
}

async function applyWaiting(ctx: LoopContext, from: DecidedFrom, plan: Plan, memory: NotifiedReasons): Promise<void> {
	const { snapshot } = from;
	const changed: Parameters<typeof writeWaiting>[1][number][] = [];
	const newCode = new Set<string>();
	for (const [jobId, why] of plan.waiting) {
		const forecast = plan.forecasts.get(jobId) ?? null;
		const last = memory.get(jobId);
		const current = notifiedAbout(why, forecast);
		if (last && !hasChanged(current, last, snapshot.nowMs)) continue;
		if (last?.code !== why.code) newCode.add(jobId);
		memory.set(jobId, current);
		changed.push({ jobId, reason: why, forecast });
	}
	if (memory.size > 2 * plan.waiting.size + 1_000) for (const id of memory.keys()) if (!plan.waiting.has(id)) memory.delete(id);
	await writeWaiting(ctx.db, changed);
	const acted = new Set(plan.actions.map((a) => a.jobId));
	const toStore = plan.explanations.filter((e) => newCode.has(e.jobId) && !acted.has(e.jobId));
	if (toStore.length > 0)
		await ctx.db.transaction(async (tx) => {
			for (const e of toStore) await writeDecision(tx, from, e, null);
		});
}

async function writeDecision(
	tx: Tx,
	{ snapshot, inputHash }: DecidedFrom,
	explanation: Explanation,
	attemptNumber: number | null,
): Promise<string> {
	return recordDecision(tx, { explanation, attemptNumber, inputHash: await inputHash(), nowMs: snapshot.nowMs });
}
