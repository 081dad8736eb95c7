import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { memberEnd, ofMember } from "#server/domain/gang.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Absences } from "#server/providers/absences.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import { endMember } from "#server/services/attempt/end-member.ts";
import { requestStop } from "#server/services/attempt/request-stop.ts";
import { writeSchedulerAudit } from "#server/services/audit.ts";
import { recordEvents } from "#server/services/event/record.ts";
import { settleInstance } from "#server/services/ledger/settle.ts";
import { type BilledTime, billedTime, type Look, launchedAt } from "./billed-time.ts";
import type { LoopContext } from "./context.ts";
import type { Described, LiveInstance } from "./live-instances.ts";

/**
 * Writes what the provider says of an instance. True when it is gone, and everything that follows was done. An
 * instance is believed gone only when good answers have left it out for `vanishMs`: listings lag behind launches.
 */
export async function absorbObservation(ctx: LoopContext, row: LiveInstance, described: Described, absences: Absences): Promise<boolean> {
	const seen = row.providerInstanceId === null ? undefined : described.byProviderId.get(row.providerInstanceId);
	const look = described.looks.get(row.region);
	if (!look) return false;
	if (!seen) return absorbSilence(ctx, row, look, absences);
	absences.clear(row.id);
	// The answer to its launch may have reached nobody, and its agent have made it known: what runs is charged all the same.
	const launched = row.launchedAt ?? launchedAt(seen.launchedAtMs, row, look.answeredMs);
	const gone = seen.state === "terminated";
	// Its own switch may have ended it long before we looked.
	const bounds = gone ? { ...look, answeredMs: endedAtMs(row, look.answeredMs) } : look;
	const facts = { launchedAt: launched, ...billedTime({ ...row, launchedAt: launched }, seen.billing, bounds) };
	if (gone) {
		await writeTerminated(ctx, row, endReason(ctx, row, seen.stateReasonCode), facts);
		return true;
	}
	const more = (row.zone === null && seen.zone !== null) || (row.privateAddress === null && seen.privateAddress !== null);
	const renamed = seen.signedId !== undefined && seen.signedId !== row.signedId;
	if (more || renamed) await ctx.db.transaction((tx) => writePlace(tx, row, seen));
	await ctx.db
		.update(instance)
		.set({ ...facts, lastSeenAt: new Date(look.askedMs), missingSince: null })
		.where(eq(instance.id, row.id));
	if (seen.state === "stopped" || seen.state === "stopping") await stopAttempt(ctx, row, endReason(ctx, row, seen.stateReasonCode));
	return false;
}

/**
 * A good answer left it out. Believed gone, it was billed until the first such answer where that tells anything, else until
 * now; where nobody looked for long, its own switch ended it at its expiry, so that it is not charged for the time in which we
 * were away. A word that comes later corrects it.
 */
async function absorbSilence(ctx: LoopContext, row: LiveInstance, { answeredMs }: Look, absences: Absences): Promise<boolean> {
	const lastKnownMs = lastAliveMs(row);
	const missingSince = row.missingSince ?? new Date(answeredMs);
	const [nowMs, forMs] = [ctx.clock.nowMs(), ctx.timing.vanishMs];
	// However long ago it was known: where nobody looked, the first answer that leaves it out is no proof.
	const isMissing = absences.leftOut(row.id, { nowMs, forMs, sinceMs: missingSince.getTime() });
	if (!isMissing || nowMs - lastKnownMs < forMs) {
		if (row.missingSince === null) await ctx.db.update(instance).set({ missingSince }).where(eq(instance.id, row.id));
		return false;
	}
	const launched = row.launchedAt ?? row.requestedAt ?? row.intendedAt;
	const atMs = endedAtMs(row, provesAnEnd(row, launched, missingSince) ? missingSince.getTime() : answeredMs);
	const billed = billedTime(
		{ ...row, launchedAt: launched },
		{ phase: "over", fromMs: null, untilMs: null },
		{ askedMs: atMs, answeredMs: atMs },
	);
	await writeTerminated(ctx, row, reason("instance_vanished", { lastSeenMs: lastKnownMs }), { launchedAt: launched, ...billed });
	return true;
}

/**
 * Whether a machine was over when answers began to leave it out. Not where none but its launch has ever shown it: listings lag
 * behind launches; nor where its agent was heard afterwards: the listing had missed a machine that ran, and may still.
 */
function provesAnEnd(row: LiveInstance, launchedAt: Date, missingSince: Date): boolean {
	const wasShown = row.lastSeenAt !== null && row.lastSeenAt > launchedAt;
	return wasShown && !(row.lastHeardAt !== null && row.lastHeardAt > missingSince);
}

/** Where the provider put it, how its peers reach it, and by what its documents name it. The zone of a gang's first machine is that of all. */
export async function writePlace(tx: Tx, row: LiveInstance, seen: InstanceObservation): Promise<void> {
	await tx
		.update(instance)
		.set({
			zone: sql`coalesce(${instance.zone}, ${seen.zone})`,
			privateAddress: sql`coalesce(${instance.privateAddress}, ${seen.privateAddress})`,
			// The newest: one that vanished and was asked for again has another number by the same name.
			...(seen.signedId === undefined ? {} : { signedId: seen.signedId }),
		})
		.where(eq(instance.id, row.id));
	if (row.rank !== 0 || row.nodes === 1 || seen.zone === null) return;
	await tx
		.update(instance)
		.set({ zone: seen.zone })
		.where(and(eq(instance.attemptId, row.attemptId), eq(instance.state, "intended"), isNull(instance.zone)));
}

/** Tells the attempt to end because of this machine, unless its command was over first: that machine goes as it should. */
async function stopAttempt(ctx: LoopContext, row: LiveInstance, why: Reason): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const [now] = await tx.select({ exit: instance.exit }).from(instance).where(eq(instance.id, row.id)).for("update");
		if (now?.exit) return;
		await requestStop(tx, { attemptId: row.attemptId, reason: ofMember(why, row.rank, row.nodes), atMs: ctx.clock.nowMs() });
	});
}

/** The provider showed it, or its agent called. */
function lastAliveMs(row: LiveInstance): number {
	return Math.max(
		row.intendedAt.getTime(),
		row.launchedAt?.getTime() ?? 0,
		row.lastSeenAt?.getTime() ?? 0,
		row.lastHeardAt?.getTime() ?? 0,
	);
}

/** Between the end of an instance's life by its own dead man's switch and the provider's last billed second. */
const DEAD_MAN_SLACK_MS = MINUTE_MS;

/**
 * When it was over at the latest: when it was first not seen, or when its own switch ended it before that. A machine of
 * Azure's that switched itself off is billed on.
 */
function endedAtMs(row: LiveInstance, nowMs: number): number {
	if (row.provider === "azure") return nowMs;
	return Math.max(Math.min(lastAliveMs(row), nowMs), Math.min(nowMs, row.expiresAt.getTime() + DEAD_MAN_SLACK_MS));
}

function endReason(ctx: LoopContext, row: LiveInstance, stateReasonCode: string | null): Reason {
	if (row.interruptionAt !== null || /spot/i.test(stateReasonCode ?? ""))
		return reason("spot_interruption", { stateReason: stateReasonCode });
	if (row.state === "terminating" || row.stopRequestedAt !== null || row.exit !== null)
		return goneBefore(ctx, row) ?? endOf(row) ?? reason("job_finished");
	return reason("instance_vanished", { stateReason: stateReasonCode });
}

/** Why this machine ends when its attempt was told to: of a gang, perhaps because of another one. Null when nobody told it. */
export function endOf(row: LiveInstance): Reason | null {
	return row.stopReason && memberEnd(row.stopReason, row.rank, row.nodes);
}

/** Beats that an agent which lives does not miss in a row. */
const BEATS_MISSED = 4;

/** A machine that was gone before its peers failed: its agent was never heard again after they were told to stop. */
function goneBefore(ctx: LoopContext, row: LiveInstance): Reason | null {
	const { stopReason, stopRequestedAt, lastHeardAt } = row;
	if (stopReason?.code !== "gang_member_failed" || stopReason.facts["rank"] === row.rank || row.exit !== null) return null;
	if (!lastHeardAt || !stopRequestedAt || lastHeardAt > stopRequestedAt) return null;
	const silentMs = (row.terminatingAt?.getTime() ?? ctx.clock.nowMs()) - lastHeardAt.getTime();
	return silentMs > BEATS_MISSED * ctx.timing.heartbeatMs ? reason("agent_silent", { silentMs }) : null;
}

/** The provider was seen to say that it is over: only now is it, and only now may the job run elsewhere. */
async function writeTerminated(
	ctx: LoopContext,
	row: LiveInstance,
	why: Reason,
	facts: BilledTime & Pick<LiveInstance, "launchedAt">,
): Promise<void> {
	ctx.probe("terminate:seen");
	const nowMs = ctx.clock.nowMs();
	await ctx.db.transaction(async (tx) => {
		const [written] = await tx
			.update(instance)
			.set({
				state: "terminated",
				...facts,
				terminatedAt: new Date(endedAtMs(row, nowMs)),
				lastSeenAt: new Date(nowMs),
				reason: why,
				bootstrapHash: null,
			})
			.where(and(eq(instance.id, row.id), inArray(instance.state, ["provisioning", "ready", "draining", "terminating"])))
			.returning({ id: instance.id });
		if (!written) return;
		const [owner] = await tx.select({ team: job.team }).from(job).where(eq(job.id, row.jobId));
		await recordEvents(tx, [
			{
				kind: "instance_terminated",
				atMs: nowMs,
				instanceId: row.id,
				jobId: row.jobId,
				siteId: row.siteId,
				...(owner ? { team: owner.team } : {}),
				reason: why,
			},
		]);
		await endMember(tx, { attemptId: row.attemptId, instanceId: row.id, exit: null, atMs: nowMs, fallback: why });
		await notify(tx, { wake: true, changes: [{ topic: "instance", id: row.id, team: null }] });
	});
	ctx.probe("terminate:written");
	await settleInstance(ctx, row.id);
}

/**
 * Ends what takes too long: a machine that never reports, an agent that fell silent, a life that is over.
 * False when the machine must go now.
 * @param listenedMs for how long there was somebody to hear agents: what was not heard while we were away is nobody's silence
 */
export async function checkDeadlines(ctx: LoopContext, row: LiveInstance, listenedMs: number): Promise<boolean> {
	const nowMs = ctx.clock.nowMs();
	const unheardSince = (at: Date): number => Math.min(nowMs - at.getTime(), listenedMs);
	const stop = async (why: Reason): Promise<false> => {
		await stopAttempt(ctx, row, why);
		return false;
	};
	if (nowMs >= row.expiresAt.getTime()) return stop(reason("instance_expired", { expiresAtMs: row.expiresAt.getTime() }));
	if (row.readyAt === null) {
		const waitedMs = unheardSince(row.requestedAt ?? row.intendedAt);
		return waitedMs > ctx.timing.readyTimeoutMs ? stop(reason("instance_not_ready_in_time", { waitedMs, offerId: row.offer.id })) : true;
	}
	const silentMs = unheardSince(row.lastHeardAt ?? row.readyAt);
	return silentMs > ctx.timing.agentSilentMs ? stop(reason("agent_silent", { silentMs })) : true;
}

/** Asks the provider to end an instance, again and again until it is seen gone; never gives up. */
export async function endInstance(ctx: LoopContext, driver: CloudDriver, row: LiveInstance): Promise<void> {
	if (row.providerInstanceId === null) return;
	const nowMs = ctx.clock.nowMs();
	if (row.lastTerminateCallAt && nowMs - row.lastTerminateCallAt.getTime() < ctx.timing.callRetryMs) return;
	const at = new Date(nowMs);
	await ctx.db.transaction(async (tx) => {
		const [marked] = await tx
			.update(instance)
			.set({
				state: "terminating",
				terminatingAt: row.terminatingAt ?? at,
				lastTerminateCallAt: at,
				terminateCalls: sql`${instance.terminateCalls} + 1`,
			})
			.where(and(eq(instance.id, row.id), inArray(instance.state, ["provisioning", "ready", "draining", "terminating"])))
			.returning({ id: instance.id });
		if (marked && row.terminatingAt === null) await writeTermination(tx, row, nowMs);
	});
	ctx.probe("terminate:marked");
	await driver.terminate(row.region, row.providerInstanceId);
	ctx.probe("terminate:provider_answered");
}

function writeTermination(tx: Tx, row: LiveInstance, atMs: number): Promise<void> {
	const { providerInstanceId, region, instanceType, jobId, state } = row;
	const after = { state: "terminating", providerInstanceId, region, instanceType, jobId, reason: endOf(row) };
	return writeSchedulerAudit(tx, { action: "instance.terminate", subject: row.id, before: { state }, after, atMs });
}
