import type { Tx } from "#server/db/client.ts";
import { decision } from "#server/db/schema/decision.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { newId } from "#server/kernel/ids.ts";
import type { Action, Plan, Snapshot } from "#server/scheduling/types.ts";
import { adoptionsOf } from "#server/services/adoption/read.ts";
import { openApproval } from "#server/services/approval/open.ts";
import { requestMove } from "#server/services/attempt/request-move.ts";
import { requestStop } from "#server/services/attempt/request-stop.ts";
import { LOOP } from "#server/services/context.ts";
import { type InputMemory, recordInput } from "#server/services/explain/record-input.ts";
import { askCaps } from "#server/services/job/ask-caps.ts";
import { placeCloud } from "#server/services/job/place-cloud.ts";
import { placeHome } from "#server/services/job/place-home.ts";
import { failWaiting, setWaitingState, writeWaiting } from "#server/services/job/wait.ts";
import type { LoopContext } from "./context.ts";
import { forgetUnless, type HomeFrees, settleWithHome } from "./settle-with-home.ts";
import { isNews, toldOf, type WaitingMemory } from "./waiting-memory.ts";

/** What the loop should do next because of what was written: hand over attempts at home, call clouds. */
export interface Applied {
	home: Set<string>;
	clouds: Set<string>;
	stopped: number;
	/** Copies of data were asked for. */
	copies?: boolean;
}

/** What carrying out plans keeps from cycle to cycle. */
export interface ApplyMemory {
	waiting: WaitingMemory;
	inputs: InputMemory;
	homeFrees: HomeFrees;
}

/**
 * Carries out a plan: each action in a transaction of its own, guarded so that a stale one changes nothing.
 * No driver is called here.
 */
export async function applyPlan(ctx: LoopContext, snapshot: Snapshot, plan: Plan, memory: ApplyMemory): Promise<Applied> {
	// With the first action that has a decision to write: most cycles decide nothing new, and keep nothing.
	let kept: Promise<string> | null = null;
	const from: DecidedFrom = { snapshot, inputHash: () => (kept ??= recordInput(ctx.db, snapshot, memory.inputs)) };
	const applied: Applied = { home: new Set(), clouds: new Set(), stopped: 0 };
	const explanations = new Map(plan.explanations.map((e) => [e.jobId, e]));
	const adopted = await adoptionsOf(
		ctx.db,
		plan.actions.map((a) => a.jobId),
	);
	forgetUnless(memory.homeFrees, plan, adopted);
	for (const action of plan.actions) {
		const theirs = adopted.get(action.jobId);
		if (theirs && (await settleWithHome(ctx, action, theirs, memory.homeFrees))) {
			applied.home.add(theirs.siteId);
			continue;
		}
		const explanation = explanations.get(action.jobId);
		// Not within the transaction, which holds the locks of budgets: where all other connections wait for these, it would wait
		// for one of them for ever.
		if (explanation) await from.inputHash();
		const written = ctx.db.transaction(async (tx) => {
			const done = await applyAction(tx, ctx, snapshot, action, applied);
			const attemptNo = "attemptNo" in action ? action.attemptNo : null;
			const decisionId = done && explanation ? await writeDecision(tx, from, explanation, attemptNo) : null;
			if (done && action.kind === "hold") await askPeople(tx, snapshot, plan, { jobId: action.jobId, decisionId });
		});
		await written.catch((error: unknown) => {
			if (!(error instanceof StalePlan)) throw error;
		});
		if (action.kind === "launch") ctx.probe("launch:intent_written");
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

/** A job that is held until a person says yes asks for it in the transaction that holds it. */
async function askPeople(
	tx: Tx,
	{ policy, policyVersion, nowMs }: Snapshot,
	plan: Plan,
	held: { jobId: string; decisionId: string | null },
): Promise<void> {
	const request = plan.asks?.get(held.jobId);
	if (!request) return;
	const asked = { ...held, request, policy: { name: policy.name, version: policyVersion }, nowMs };
	await openApproval(tx, LOOP, asked);
}

/** Budgets and caps are asked again here, in the transaction that writes the intent: the snapshot may be a moment old. */
async function applyLaunch(
	tx: Tx,
	ctx: LoopContext,
	snapshot: Snapshot,
	action: Extract<Action, { kind: "launch" }>,
	applied: Applied,
): Promise<boolean> {
	// The next cycle sees what stands in the way, and the job waits with it.
	if (await passesCap(tx, snapshot, action)) return false;
	const budgets = snapshot.policy.budgets.filter((b) => action.budgetIds.includes(b.id));
	const result = await placeCloud(tx, {
		jobId: action.jobId,
		attemptNo: action.attemptNo,
		offer: action.offer,
		instances: action.instances,
		lifeMs: action.lifeMs,
		holdMicroUsd: action.holdMicroUsd,
		budgets,
		bootstrapHashFor: ctx.bootstrapHashFor,
		reason: action.reason,
		nowMs: snapshot.nowMs,
	});
	if (result.kind === "placed") {
		applied.clouds.add(action.offer.siteId);
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

async function passesCap(tx: Tx, snapshot: Snapshot, action: Extract<Action, { kind: "launch" }>): Promise<boolean> {
	if (snapshot.policy.caps.length === 0) return false;
	const job = snapshot.pending.find((p) => p.jobId === action.jobId);
	if (!job) return true;
	// What leaves the clouds is not counted live yet (no charge of it is posted), so nothing is asked for it.
	const microUsdPerHour = (action.offer.microUsdPerHour ?? 0n) * BigInt(action.instances);
	const ask = { microUsdPerHour, instances: action.instances, egressGiB: 0 };
	return (await askCaps(tx, { snapshot, spec: job.spec, ask })) !== null;
}

/** Rolls back a half-written placement; the job has moved on, and the next cycle sees where. */
class StalePlan extends Error {
	override name = "StalePlan";
}

/** What was decided from: as it was read, and the name under which it is on record. */
interface DecidedFrom {
	snapshot: Snapshot;
	inputHash: () => Promise<string>;
}

async function applyWaiting(ctx: LoopContext, from: DecidedFrom, plan: Plan, memory: WaitingMemory): Promise<void> {
	const { snapshot } = from;
	const changed: Parameters<typeof writeWaiting>[1][number][] = [];
	const newCode = new Set<string>();
	for (const [jobId, why] of plan.waiting) {
		const forecast = plan.forecasts.get(jobId) ?? null;
		const last = memory.get(jobId);
		const told = toldOf(why, forecast);
		if (last && !isNews(told, last, snapshot.nowMs)) continue;
		if (last?.code !== why.code) newCode.add(jobId);
		memory.set(jobId, told);
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
	const id = newId("dec", snapshot.nowMs);
	await tx.insert(decision).values({
		id,
		jobId: explanation.jobId,
		decidedAt: new Date(snapshot.nowMs),
		attemptNumber,
		policyName: explanation.policy.name,
		policyVersion: explanation.policy.version,
		explanation,
		inputHash: await inputHash(),
	});
	return id;
}
