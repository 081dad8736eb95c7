import { and, eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import { DriverError, madeNothing } from "#server/providers/driver-errors.ts";
import { finishAttempt } from "#server/services/attempt/finish.ts";
import { lockJobOf } from "#server/services/attempt/lock-job.ts";
import { requestStop } from "#server/services/attempt/request-stop.ts";
import { settleInstance } from "#server/services/ledger/settle.ts";
import { backOffOffer, clearBackOff } from "#server/services/offer/backoff.ts";
import { setSiteHealth } from "#server/services/site/health.ts";
import type { LiveInstance } from "./cloud-sync.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

/**
 * Asks the provider for the machine of an intent. That the call is about to be made is written first; its token is the
 * instance's id, so that after a crash the same call finds the same machine.
 */
export async function launchInstance(ctx: LoopContext, driver: CloudDriver, row: LiveInstance): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	if (row.lastCallAt && nowMs - row.lastCallAt.getTime() < ctx.timing.callRetryMs && row.lastError !== null) return;
	const at = new Date(nowMs);
	await ctx.db
		.update(instance)
		.set({ state: "requested", requestedAt: row.requestedAt ?? at, lastCallAt: at, calls: sql`${instance.calls} + 1` })
		.where(and(eq(instance.id, row.id), inArray(instance.state, ["intended", "requested"])));
	ctx.probe("launch:request_marked");
	let seen: InstanceObservation;
	try {
		seen = await driver.launch({
			instanceId: row.id,
			jobId: row.jobId,
			attemptId: row.attemptId,
			region: row.region,
			zone: row.zone,
			instanceType: row.instanceType,
			capacityType: row.capacityType === "owned" ? "on_demand" : row.capacityType,
			userData: ctx.userDataFor({ instanceId: row.id, expiresAtMs: row.expiresAt.getTime() }),
			expiresAtMs: row.expiresAt.getTime(),
		});
	} catch (error) {
		await handleLaunchError(ctx, driver, row, error);
		return;
	}
	ctx.probe("launch:provider_answered");
	await writeFound(ctx, row.id, seen);
	await ctx.db.transaction((tx) => clearBackOff(tx, row.offer.id));
	ctx.probe("launch:id_written");
}

/** The provider has the machine: from here on it costs money until it is seen to be gone. */
async function writeFound(ctx: LoopContext, instanceId: string, seen: InstanceObservation): Promise<void> {
	const at = new Date(ctx.clock.nowMs());
	await ctx.db.transaction(async (tx) => {
		await tx
			.update(instance)
			.set({
				state: "provisioning",
				providerInstanceId: seen.providerInstanceId,
				zone: seen.zone,
				launchedAt: new Date(seen.launchedAtMs),
				lastSeenAt: at,
				lastError: null,
			})
			// The agent may have called before the launch answered.
			.where(and(eq(instance.id, instanceId), eq(instance.state, "requested")));
		await tx
			.update(instance)
			.set({ launchedAt: sql`coalesce(${instance.launchedAt}, ${new Date(seen.launchedAtMs).toISOString()}::timestamptz)`, lastSeenAt: at })
			.where(eq(instance.id, instanceId));
		await notify(tx, { wake: true, changes: [{ topic: "instance", id: instanceId, team: null }] });
	});
}

async function handleLaunchError(ctx: LoopContext, driver: CloudDriver, row: LiveInstance, error: unknown): Promise<void> {
	const kind = error instanceof DriverError ? error.kind : "transient";
	const message = messageOf(error);
	if (kind === "token_mismatch") {
		const found = await driver.findByToken(row.region, row.id);
		if (found) return writeFound(ctx, row.id, found);
	}
	if (!madeNothing(kind)) {
		await ctx.db.update(instance).set({ lastError: message }).where(eq(instance.id, row.id));
		ctx.log("warn", "a launch has no clear answer yet and is asked again", { instanceId: row.id, kind, message });
		return;
	}
	ctx.log("info", "a launch was refused", { instanceId: row.id, kind, message });
	if (kind === "unauthorized") await setSiteHealth(ctx.db, { siteId: driver.siteId, healthy: false, message, atMs: ctx.clock.nowMs() });
	await ctx.db.transaction(async (tx) => {
		const facts = { offerId: row.offer.id, message };
		const why =
			kind === "insufficient_capacity"
				? reason("launch_refused_capacity", facts)
				: kind === "quota_exceeded"
					? reason("launch_refused_quota", facts)
					: reason("launch_refused", facts);
		// What the provider cannot make sense of is left alone like a full place, so that the job does not spin on it.
		await backOffOffer(tx, {
			offerId: row.offer.id,
			why: kind === "quota_exceeded" ? "quota_exceeded" : "insufficient_capacity",
			atMs: ctx.clock.nowMs(),
			baseMs: ctx.timing.backoffBaseMs,
			maxMs: ctx.timing.backoffMaxMs,
		});
		await closeNeverMade(tx, ctx, row, why);
	});
	await settleInstance(ctx, row.id);
}

/**
 * An intent that is no longer wanted, and of which no provider id is known. When a call was made, its machine may exist:
 * it is looked for by its token until `launchForgetMs` after the newest call, and ended when found.
 */
export async function resolveUnknownLaunch(ctx: LoopContext, driver: CloudDriver, row: LiveInstance): Promise<void> {
	const never = reason("launch_never_happened");
	if (row.lastCallAt === null) {
		await ctx.db.transaction((tx) => closeNeverMade(tx, ctx, row, row.stopReason ?? never));
		return settleInstance(ctx, row.id);
	}
	const found = await driver.findByToken(row.region, row.id);
	if (found) {
		await ctx.db
			.update(instance)
			.set({
				state: "terminating",
				terminatingAt: new Date(ctx.clock.nowMs()),
				providerInstanceId: found.providerInstanceId,
				launchedAt: new Date(found.launchedAtMs),
				lastSeenAt: new Date(ctx.clock.nowMs()),
			})
			.where(and(eq(instance.id, row.id), inArray(instance.state, ["requested", "terminating"])));
		return;
	}
	if (ctx.clock.nowMs() - row.lastCallAt.getTime() < ctx.timing.launchForgetMs) return;
	await ctx.db.transaction((tx) => closeNeverMade(tx, ctx, row, row.stopReason ?? never));
	await settleInstance(ctx, row.id);
}

/** Nothing was made, so nothing can run: instance and attempt end here, and the hold is given back by settling. */
async function closeNeverMade(tx: Tx, ctx: LoopContext, row: LiveInstance, why: Reason): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	await tx
		.update(instance)
		.set({ state: "terminated", terminatedAt: new Date(nowMs), reason: why, lastError: null, bootstrapHash: null })
		.where(and(eq(instance.id, row.id), inArray(instance.state, ["intended", "requested"])));
	const [live] = await tx
		.select({ id: attempt.id })
		.from(attempt)
		.where(and(eq(attempt.id, row.attemptId), inArray(attempt.state, [...LIVE_ATTEMPT_STATES])));
	if (!live) return;
	await lockJobOf(tx, row.attemptId);
	await requestStop(tx, { attemptId: row.attemptId, reason: why, atMs: nowMs });
	await finishAttempt(tx, { attemptId: row.attemptId, exit: null, atMs: nowMs });
}
