import { eq } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { memberEnd, ofMember } from "#server/domain/gang.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { Absences } from "#server/providers/absences.ts";
import type { Billing, CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import type { LaunchTimes } from "#server/services/capacity/instance/record-launch.ts";
import {
	markTerminating,
	recordMissing,
	recordPlace,
	recordSeen,
	recordTerminated,
} from "#server/services/capacity/instance/record-observation.ts";
import { giveUpWarm } from "#server/services/capacity/instance/warm.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { settleInstance } from "#server/services/ledger/charge/settle.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { endMember } from "#server/services/work/attempt/end-member.ts";
import { requestStop } from "#server/services/work/attempt/request-stop.ts";
import { billedTime, type Look, launchedAt } from "./billed-time.ts";
import type { LoopContext } from "./context.ts";
import { type Described, isOffOnPurpose, type LiveInstance } from "./live-instances.ts";
import { messageOf } from "./messages.ts";

/**
 * Records what the provider reports about an instance. Returns true once it is terminated and everything that follows is
 * done. A missing instance counts as terminated only after `vanishMs` of complete listings without it, because listings
 * lag behind launches.
 */
export async function absorbObservation(
	ctx: LoopContext,
	row: LiveInstance,
	{ described, absences, recorded }: { described: Described; absences: Absences; recorded: ReadonlySet<string> },
): Promise<boolean> {
	const look = described.looks.get(row.region);
	if (!look) return false;
	const seen = observationOf(row, described);
	if (!seen) return absorbAbsence(ctx, row, look, absences);
	absences.clear(row.id);
	if (seen.state === "terminated") {
		await writeTerminated(ctx, row, endReason(ctx, row, seen.stateReasonCode), timesOf(row, seen, look));
		return true;
	}
	if (hasNewPlace(row, seen)) await ctx.db.transaction((tx) => recordPlace(tx, row, seen));
	if (!recorded.has(row.id)) await recordSeen(ctx.db, [sightingOf(row, seen, look)]);
	const isOff = seen.state === "stopped" || seen.state === "stopping";
	if (isOff && !isOffOnPurpose(row)) await stopAttempt(ctx, row, endReason(ctx, row, seen.stateReasonCode));
	return false;
}

/**
 * Records the machines that were listed as before, in one statement. Returns their ids; the others are recorded one by one: a zone must be
 * written before the sighting that lets the rest of the gang follow, and an error stays within one instance.
 */
export async function recordUnchanged(ctx: LoopContext, live: readonly LiveInstance[], described: Described): Promise<ReadonlySet<string>> {
	const sightings = live.flatMap((row) => {
		const [seen, look] = [observationOf(row, described), described.looks.get(row.region)];
		return !seen || !look || seen.state === "terminated" || hasNewPlace(row, seen) ? [] : [sightingOf(row, seen, look)];
	});
	try {
		await recordSeen(ctx.db, sightings);
		return new Set(sightings.map(({ id }) => id));
	} catch (error) {
		ctx.log("warn", "Could not record the listed instances together; recording each", { error: messageOf(error) });
		return new Set();
	}
}

function observationOf({ providerInstanceId }: LiveInstance, { byProviderId }: Described): InstanceObservation | undefined {
	return providerInstanceId === null ? undefined : byProviderId.get(providerInstanceId);
}

function hasNewPlace(row: LiveInstance, seen: InstanceObservation): boolean {
	if (row.zone === null && seen.zone !== null) return true;
	return (row.privateAddress === null && seen.privateAddress !== null) || (seen.signedId !== undefined && seen.signedId !== row.signedId);
}

const sightingOf = (row: LiveInstance, seen: InstanceObservation, look: Look) => ({
	...{ id: row.id, seenAt: new Date(look.askedMs) },
	...timesOf(row, seen, look),
});

function timesOf(row: LiveInstance, seen: InstanceObservation, look: Look): LaunchTimes {
	// The launch response may have been lost and the id come from the agent: a running machine is charged anyway.
	const launched = row.launchedAt ?? launchedAt(seen.launchedAtMs, row, look.answeredMs);
	// The dead man's switch may have ended it long before this observation.
	const isPaused = seen.state !== "terminated" && isOffOnPurpose(row);
	// A stopped machine goes on to cost its disk.
	const billing: Billing = isPaused && seen.billing.phase === "over" ? { phase: "now", fromMs: null } : seen.billing;
	const bounds = seen.state === "terminated" ? { ...look, answeredMs: endedAtMs(row, look.answeredMs) } : look;
	return { launchedAt: launched, ...billedTime({ ...row, launchedAt: launched }, billing, bounds) };
}

/**
 * Handles a complete listing without the instance. Once it counts as terminated, it is billed until the first such listing
 * if that proves its end, else until now. If the scheduler was down for long, the dead man's switch ended it at its expiry,
 * so the downtime is not charged. A later report by the provider corrects the billed time.
 */
async function absorbAbsence(ctx: LoopContext, row: LiveInstance, { answeredMs }: Look, absences: Absences): Promise<boolean> {
	const lastKnownMs = lastAliveMs(row);
	const missingSince = row.missingSince ?? new Date(answeredMs);
	const [nowMs, forMs] = [ctx.clock.nowMs(), ctx.timing.vanishMs];
	// The first listing without it proves nothing, however long ago it was last seen.
	const isMissing = absences.leftOut(row.id, { nowMs, forMs, sinceMs: missingSince.getTime() });
	if (!isMissing || nowMs - lastKnownMs < forMs) {
		if (row.missingSince === null) await recordMissing(ctx.db, row.id, missingSince);
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
 * Whether the machine had ended when listings began to omit it. Not if only its launch ever showed it, because listings lag
 * behind launches. Not if its agent was heard later either: the listing had missed a running machine.
 */
function provesAnEnd(row: LiveInstance, launchedAt: Date, missingSince: Date): boolean {
	const wasShown = row.lastSeenAt !== null && row.lastSeenAt > launchedAt;
	return wasShown && !(row.lastHeardAt !== null && row.lastHeardAt > missingSince);
}

/** Stops the attempt because of this machine, or gives the machine up if it has none; not if its command had already exited: then its end is expected. */
async function stopAttempt(ctx: LoopContext, row: LiveInstance, why: Reason): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const [now] = await tx
			.select({ exit: instance.exit, attemptId: instance.attemptId })
			.from(instance)
			.where(eq(instance.id, row.id))
			.for("update");
		if (!now || now.exit) return;
		// It may have got its job since it was read.
		if (now.attemptId === null) return giveUpWarm(tx, { instanceId: row.id, reason: why, atMs: ctx.clock.nowMs() });
		await requestStop(tx, { attemptId: now.attemptId, reason: ofMember(why, row.rank, row.nodes), atMs: ctx.clock.nowMs() });
	});
}

/** When the provider last listed it or its agent last called. */
function lastAliveMs(row: LiveInstance): number {
	return Math.max(
		row.intendedAt.getTime(),
		row.launchedAt?.getTime() ?? 0,
		row.lastSeenAt?.getTime() ?? 0,
		row.lastHeardAt?.getTime() ?? 0,
	);
}

/** Time between the dead man's switch and the provider's last billed second. */
const DEAD_MAN_SLACK_MS = MINUTE_MS;

/**
 * The latest time at which it can have ended: when it was first missing, or earlier by its dead man's switch. Azure keeps
 * billing a machine that shut itself down.
 */
function endedAtMs(row: LiveInstance, nowMs: number): number {
	if (row.provider === "azure") return nowMs;
	return Math.max(Math.min(lastAliveMs(row), nowMs), Math.min(nowMs, row.expiresAt.getTime() + DEAD_MAN_SLACK_MS));
}

function endReason(ctx: LoopContext, row: LiveInstance, stateReasonCode: string | null): Reason {
	if (row.interruptionAt !== null || /spot/i.test(stateReasonCode ?? ""))
		return reason("spot_interruption", { stateReason: stateReasonCode });
	if (row.state === "terminating" || row.stopRequestedAt !== null || row.exit !== null)
		return goneBefore(ctx, row) ?? memberStopReason(row) ?? reason("job_finished");
	return reason("instance_vanished", { stateReason: stateReasonCode });
}

/** Why this machine's attempt was stopped; in a gang, perhaps because of another machine. Null if it was not stopped. */
export function memberStopReason(row: LiveInstance): Reason | null {
	if (row.attemptId === null) return row.reason ?? reason("kept_warm_over", { ruleId: row.warmRule, why: "idle_limit" });
	return row.stopReason && memberEnd(row.stopReason, row.rank, row.nodes);
}

/** A live agent does not miss this many heartbeats in a row. */
const BEATS_MISSED = 4;

/** Set for a machine that was lost before its peers failed: its agent was never heard after they were stopped. */
function goneBefore(ctx: LoopContext, row: LiveInstance): Reason | null {
	const { stopReason, stopRequestedAt, lastHeardAt } = row;
	if (stopReason?.code !== "gang_member_failed" || stopReason.facts["rank"] === row.rank || row.exit !== null) return null;
	if (!lastHeardAt || !stopRequestedAt || lastHeardAt > stopRequestedAt) return null;
	const silentMs = (row.terminatingAt?.getTime() ?? ctx.clock.nowMs()) - lastHeardAt.getTime();
	return silentMs > BEATS_MISSED * ctx.timing.heartbeatMs ? reason("agent_silent", { silentMs }) : null;
}

/** The provider reports it as terminated. Only now may the job run elsewhere. */
async function writeTerminated(ctx: LoopContext, row: LiveInstance, why: Reason, facts: LaunchTimes): Promise<void> {
	ctx.probe("terminate:seen");
	const nowMs = ctx.clock.nowMs();
	await ctx.db.transaction(async (tx) => {
		const end = { instanceId: row.id, reason: why, times: facts, terminatedAt: new Date(endedAtMs(row, nowMs)), seenAt: new Date(nowMs) };
		const recorded = await recordTerminated(tx, end);
		if (!recorded) return;
		const { jobId, attemptId } = recorded;
		const [owner] = jobId === null ? [] : await tx.select({ team: job.team }).from(job).where(eq(job.id, jobId));
		await recordEvents(tx, [
			{
				kind: "instance_terminated",
				atMs: nowMs,
				instanceId: row.id,
				...(jobId !== null && { jobId }),
				siteId: row.siteId,
				...(owner ? { team: owner.team } : {}),
				reason: why,
			},
		]);
		if (attemptId !== null) await endMember(tx, { attemptId, instanceId: row.id, exit: null, atMs: nowMs, fallback: why });
		await notify(tx, { wake: true, changes: [{ topic: "instance", id: row.id, team: null }] });
	});
	ctx.probe("terminate:written");
	await settleInstance(ctx, row.id);
}

/**
 * Stops the attempt of a machine that was not ready in time, has a silent agent, or has expired.
 * Returns false if the machine must be terminated now.
 * @param listenedMs how long agents could reach us, so that our own downtime does not count as their silence
 */
export async function checkDeadlines(ctx: LoopContext, row: LiveInstance, listenedMs: number): Promise<boolean> {
	const nowMs = ctx.clock.nowMs();
	const silentSince = (at: Date): number => Math.min(nowMs - at.getTime(), listenedMs);
	const stop = async (why: Reason): Promise<false> => {
		await stopAttempt(ctx, row, why);
		return false;
	};
	if (nowMs >= row.expiresAt.getTime()) return stop(reason("instance_expired", { expiresAtMs: row.expiresAt.getTime() }));
	if (row.readyAt === null) {
		const waitedMs = silentSince(row.requestedAt ?? row.intendedAt);
		return waitedMs > ctx.timing.readyTimeoutMs ? stop(reason("instance_not_ready_in_time", { waitedMs, offerId: row.offer.id })) : true;
	}
	if (isOffOnPurpose(row)) {
		if (row.startCalledAt === null) return true;
		const waitedMs = silentSince(row.startCalledAt);
		return waitedMs > ctx.timing.readyTimeoutMs ? stop(reason("instance_not_ready_in_time", { waitedMs, offerId: row.offer.id })) : true;
	}
	const silentMs = silentSince(row.lastHeardAt ?? row.readyAt);
	return silentMs > ctx.timing.agentSilentMs ? stop(reason("agent_silent", { silentMs })) : true;
}

/** Calls the provider to terminate an instance. Repeated without limit until the instance is seen terminated. */
export async function endInstance(ctx: LoopContext, driver: CloudDriver, row: LiveInstance): Promise<void> {
	if (row.providerInstanceId === null) return;
	const nowMs = ctx.clock.nowMs();
	if (row.lastTerminateCallAt && nowMs - row.lastTerminateCallAt.getTime() < ctx.timing.callRetryMs) return;
	const at = new Date(nowMs);
	const marked = await ctx.db.transaction(async (tx) => {
		const isMarked = await markTerminating(tx, row, at);
		if (isMarked && row.terminatingAt === null) await auditTermination(tx, row, nowMs);
		return isMarked;
	});
	if (!marked) return;
	ctx.probe("terminate:marked");
	await driver.terminate(row.region, row.providerInstanceId);
	ctx.probe("terminate:provider_answered");
}

function auditTermination(tx: Tx, row: LiveInstance, atMs: number): Promise<void> {
	const { providerInstanceId, region, instanceType, jobId, state } = row;
	const after = { state: "terminating", providerInstanceId, region, instanceType, jobId, reason: memberStopReason(row) };
	return writeSchedulerAudit(tx, { action: "instance.terminate", subject: row.id, before: { state }, after, atMs });
}
