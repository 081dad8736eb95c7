import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { ofMember } from "#server/domain/gang.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { tpuSliceOf } from "#server/domain/tpu-slice.ts";
import { peerIdOf } from "#server/kernel/ids.ts";
import type { Absences } from "#server/providers/absences.ts";
import type { CloudDriver, InstanceObservation, SliceHost } from "#server/providers/driver.ts";
import { createdNothing, DriverError, isTurnedAway } from "#server/providers/driver-errors.ts";
import {
	closeUnlaunched,
	countUnlaunched,
	markRequested,
	recordLaunchError,
	recordLaunched,
	recordUnwantedLaunch,
} from "#server/services/capacity/instance/record-launch.ts";
import { recordMissing, recordPlace } from "#server/services/capacity/instance/record-observation.ts";
import { setSiteHealth } from "#server/services/capacity/site/health.ts";
import { settleInstance } from "#server/services/ledger/charge/settle.ts";
import { clearBackOff } from "#server/services/pricing/offer/backoff.ts";
import { endMember } from "#server/services/work/attempt/end-member.ts";
import { lockJobOf } from "#server/services/work/attempt/lock-job.ts";
import { requestStop } from "#server/services/work/attempt/request-stop.ts";
import { billedTime, launchedAt } from "./billed-time.ts";
import type { LoopContext } from "./context.ts";
import type { LiveInstance } from "./live-instances.ts";
import { messageOf } from "./messages.ts";
import { memberStopReason } from "./observe-instance.ts";
import { backOffRefused, refusalReason } from "./refusal.ts";

/** Job in the tags of a machine that is kept warm. */
const NO_JOB = "prewarm";

/**
 * Calls the provider to launch the machine of an intent. The call is recorded first, and its token is the instance's id:
 * after a crash the same call finds the same machine.
 */
export async function launchInstance(ctx: LoopContext, driver: CloudDriver, row: LiveInstance): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	if (row.lastCallAt && nowMs - row.lastCallAt.getTime() < ctx.timing.callRetryMs && row.lastError !== null) return;
	if (!(await markRequested(ctx.db, row, new Date(nowMs)))) return;
	ctx.probe("launch:request_marked");
	const expiresAtMs = row.expiresAt.getTime();
	let seen: InstanceObservation;
	try {
		seen = await driver.launch({
			instanceId: row.id,
			jobId: row.jobId ?? NO_JOB,
			attemptId: row.attemptId ?? row.id,
			region: row.region,
			zone: row.zone,
			nodes: row.nodes,
			...(row.interconnect !== null && { interconnect: row.interconnect }),
			instanceType: row.instanceType,
			capacityType: row.capacityType === "owned" ? "on_demand" : row.capacityType,
			reservation: row.offer.reservation ?? null,
			userData: bootScript(ctx, row, row.id),
			...(tpuSliceOf(row) !== null && { hosts: sliceHosts(ctx, row) }),
			expiresAtMs,
		});
	} catch (error) {
		await handleLaunchError(ctx, driver, row, error);
		return;
	}
	ctx.probe("launch:provider_answered");
	await absorbLaunch(ctx, row, seen, nowMs);
	await clearRefusals(ctx, row);
	ctx.probe("launch:id_written");
}

function bootScript(ctx: LoopContext, row: LiveInstance, instanceId: string): string {
	const expiresAtMs = row.expiresAt.getTime();
	return ctx.userDataFor({
		...{ instanceId, expiresAtMs, lifeMs: expiresAtMs - row.intendedAt.getTime() },
		...(row.warmUntil !== null && { warmMs: row.warmUntil.getTime() - row.intendedAt.getTime() }),
		...(row.keepStopped && { bootsAgain: row.provider === "gcp" ? "repeated" : "copied" }),
	});
}

/** All machines of the attempt. Their intents were written together, so they have the same expiry. */
function sliceHosts(ctx: LoopContext, row: LiveInstance): SliceHost[] {
	return Array.from({ length: row.nodes }, (_, rank) => {
		const instanceId = peerIdOf(row.id, rank);
		return { instanceId, userData: bootScript(ctx, row, instanceId) };
	});
}

async function absorbLaunch(ctx: LoopContext, row: LiveInstance, seen: InstanceObservation, askedMs: number): Promise<void> {
	const instanceId = row.id;
	const times = launchTimes(ctx, row, seen, askedMs);
	// A repeated call may return the result of the first one: the machine as it was at its launch.
	const seenAt = new Date(Math.min(askedMs, times.launchedAt.getTime()));
	await ctx.db.transaction(async (tx) => {
		await recordLaunched(tx, { instanceId, providerInstanceId: seen.providerInstanceId, times, seenAt });
		await recordPlace(tx, row, seen);
		await notify(tx, { wake: true, changes: [{ topic: "instance", id: instanceId, team: null }] });
	});
}

/** Launch time and billed time, from the provider's answer to a call made at `askedMs`. */
function launchTimes(ctx: LoopContext, row: LiveInstance, seen: InstanceObservation, askedMs: number) {
	const look = { askedMs, answeredMs: ctx.clock.nowMs() };
	const launched = launchedAt(seen.launchedAtMs, row, look.answeredMs);
	return { launchedAt: launched, ...billedTime({ ...row, launchedAt: launched }, seen.billing, look) };
}

/** Clears the offer's backoff once all machines of the attempt are launched. */
async function clearRefusals(ctx: LoopContext, row: LiveInstance): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		if (row.attemptId === null || (await countUnlaunched(tx, row.attemptId)) === 0) await clearBackOff(tx, row.offer.id);
	});
}

async function handleLaunchError(ctx: LoopContext, driver: CloudDriver, row: LiveInstance, error: unknown): Promise<void> {
	const kind = error instanceof DriverError ? error.kind : "transient";
	const message = messageOf(error);
	if (kind === "token_mismatch") {
		const askedMs = ctx.clock.nowMs();
		const found = await driver.findByToken(row.region, row.id);
		if (found) return absorbLaunch(ctx, row, found, askedMs);
	}
	if (isTurnedAway(kind)) await setSiteHealth(ctx.db, { siteId: driver.siteId, healthy: false, message, atMs: ctx.clock.nowMs() });
	// A rejected call says nothing about an earlier call that timed out.
	if (!createdNothing(kind) || (isTurnedAway(kind) && row.calls > 0)) {
		await recordLaunchError(ctx.db, row.id, message);
		ctx.log("warn", "Launch outcome unknown; retrying with the same token", { instanceId: row.id, kind, message });
		return;
	}
	ctx.log("info", "Launch refused", { instanceId: row.id, kind, message });
	await ctx.db.transaction(async (tx) => {
		const first = await closeNeverMade(tx, ctx, row, refusalReason(kind, { offerId: row.offer.id, message }));
		// Several refusals within one gang count as one.
		if (!first) return;
		await backOffRefused(tx, ctx, row.offer.id, kind);
	});
	await settleInstance(ctx, row.id);
}

/**
 * Resolves an unwanted intent without a provider id. If a launch call was made, its machine may exist: search for it by
 * token until `launchForgetMs` after both the latest call and the first answer without it, and terminate it if found.
 */
export async function resolveUnknownLaunch(ctx: LoopContext, driver: CloudDriver, row: LiveInstance, absences: Absences): Promise<void> {
	const never = reason("launch_never_happened");
	if (row.lastCallAt === null) {
		await ctx.db.transaction((tx) => closeNeverMade(tx, ctx, row, memberStopReason(row) ?? never));
		return settleInstance(ctx, row.id);
	}
	const askedMs = ctx.clock.nowMs();
	const found = await driver.findByToken(row.region, row.id);
	if (found) {
		absences.clear(row.id);
		const times = launchTimes(ctx, row, found, askedMs);
		const { providerInstanceId } = found;
		const launch = { instanceId: row.id, providerInstanceId, times, seenAt: new Date(askedMs), nowMs: ctx.clock.nowMs() };
		return recordUnwantedLaunch(ctx.db, launch);
	}
	const [nowMs, forMs] = [ctx.clock.nowMs(), ctx.timing.launchForgetMs];
	if (row.missingSince === null) await recordMissing(ctx.db, row.id, new Date(nowMs));
	const isMissing = absences.leftOut(row.id, { nowMs, forMs, sinceMs: (row.missingSince ?? new Date(nowMs)).getTime() });
	if (!isMissing || nowMs - row.lastCallAt.getTime() < forMs) return;
	await ctx.db.transaction((tx) => closeNeverMade(tx, ctx, row, memberStopReason(row) ?? never));
	await settleInstance(ctx, row.id);
}

/**
 * Closes an instance that was never created and stops its attempt; the rest of a gang is terminated with it. The caller
 * settles the instance to release its hold. Returns whether this stopped the attempt.
 */
async function closeNeverMade(tx: Tx, ctx: LoopContext, row: LiveInstance, why: Reason): Promise<boolean> {
	const nowMs = ctx.clock.nowMs();
	await closeUnlaunched(tx, row.id, why, nowMs);
	if (row.attemptId === null) return true;
	await lockJobOf(tx, row.attemptId);
	const first = await requestStop(tx, { attemptId: row.attemptId, reason: ofMember(why, row.rank, row.nodes), atMs: nowMs });
	await endMember(tx, { attemptId: row.attemptId, instanceId: row.id, exit: null, atMs: nowMs, fallback: why });
	return first;
}
