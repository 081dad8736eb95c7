import { and, eq, isNull } from "drizzle-orm";
import type { GpuMinute, HeartbeatAnswer, HeartbeatRequest } from "#server/agent/protocol.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { gpuMinute } from "#server/db/schema/gpu-minute.ts";
import { instance } from "#server/db/schema/instance.ts";
import { ofMember } from "#server/domain/gang.ts";
import { reason } from "#server/domain/reasons.ts";
import { LAST_INSTANT_MS } from "#server/kernel/units.ts";
import { requestStop } from "../attempt/request-stop.ts";
import { type AgentIdentity, isAttemptOver } from "./authenticate.ts";
import type { AgentContext } from "./context.ts";
import { ordersFor } from "./orders.ts";

/**
 * Records an agent's heartbeat and returns its orders. A forwarded reclaim notice from the provider drains the instance and stops the
 * attempt.
 */
export async function agentHeartbeat(ctx: AgentContext, agent: AgentIdentity, input: HeartbeatRequest): Promise<HeartbeatAnswer> {
	const nowMs = ctx.clock.nowMs();
	const at = new Date(nowMs);
	if (input.notice) {
		const { notice } = input;
		await ctx.db.transaction((tx) => recordNotice(tx, agent, { atMs: Math.min(notice.atMs, LAST_INSTANT_MS), nowMs }));
	}
	await recordGpuMinutes(ctx, agent, input.gpuMinutes ?? []);
	// One statement, so that a fence either waits for this heartbeat or sees it, and no answer renews a lease after a fence.
	const [kept] = await ctx.db
		.update(instance)
		.set({ lastHeardAt: at, leaseMs: input.leaseMs ?? null })
		.where(eq(instance.id, agent.instanceId))
		.returning({ fencedAt: instance.fencedAt });
	const isFenced = kept?.fencedAt != null;
	if (!isFenced && !isAttemptOver(agent)) await ctx.db.update(attempt).set({ lastHeardAt: at }).where(eq(attempt.id, agent.attemptId));
	return ordersFor({ ...agent, isFenced }, ctx.timing, nowMs);
}

/** Counts a minute once even if it is reported twice because the answer was lost. */
async function recordGpuMinutes(ctx: AgentContext, agent: AgentIdentity, minutes: readonly GpuMinute[]): Promise<void> {
	const storable = minutes.filter(({ minuteMs }) => minuteMs <= LAST_INSTANT_MS);
	if (storable.length === 0) return;
	const rows = storable.map(({ minuteMs, ...rest }) => ({ instanceId: agent.instanceId, minute: new Date(minuteMs), ...rest }));
	await ctx.db.insert(gpuMinute).values(rows).onConflictDoNothing();
}

/** The provider announced when it reclaims the machine. Only the first notice counts; later ones repeat it. */
export async function recordNotice(tx: Tx, agent: AgentIdentity, notice: { atMs: number; nowMs: number }): Promise<void> {
	const [first] = await tx
		.update(instance)
		.set({ interruptionAt: new Date(notice.atMs) })
		.where(and(eq(instance.id, agent.instanceId), isNull(instance.interruptionAt)))
		.returning({ id: instance.id });
	if (!first) return;
	await tx
		.update(instance)
		.set({ state: "draining" })
		.where(and(eq(instance.id, agent.instanceId), eq(instance.state, "ready")));
	await requestStop(tx, {
		attemptId: agent.attemptId,
		reason: ofMember(reason("spot_interruption", { interruptionAtMs: notice.atMs }), agent.rank, agent.nodes),
		atMs: notice.nowMs,
	});
	await notify(tx, { wake: true, changes: [{ topic: "instance", id: agent.instanceId, team: null }] });
}
