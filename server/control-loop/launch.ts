import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { ofMember } from "#server/domain/gang.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import type { Absences } from "#server/providers/absences.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import { DriverError, isTurnedAway, madeNothing } from "#server/providers/driver-errors.ts";
import { endMember } from "#server/services/attempt/end-member.ts";
import { lockJobOf } from "#server/services/attempt/lock-job.ts";
import { requestStop } from "#server/services/attempt/request-stop.ts";
import { settleInstance } from "#server/services/ledger/settle.ts";
import { backOffOffer, clearBackOff } from "#server/services/offer/backoff.ts";
import { setSiteHealth } from "#server/services/site/health.ts";
import { billedTime, launchedAt } from "./billed-time.ts";
import type { LoopContext } from "./context.ts";
import type { LiveInstance } from "./live-instances.ts";
import { messageOf } from "./messages.ts";
import { endOf, writePlace } from "./observe-instance.ts";

/**
 * Asks the provider for the machine of an intent. That the call is about to be made is written first; its token is the
 * instance's id, so that after a crash the same call finds the same machine.
 */
export async function launchInstance(ctx: LoopContext, driver: CloudDriver, row: LiveInstance): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	if (row.lastCallAt && nowMs - row.lastCallAt.getTime() < ctx.timing.callRetryMs && row.lastError !== null) return;
	const at = new Date(nowMs);
	const [marked] = await ctx.db
		.update(instance)
		.set({ state: "requested", requestedAt: row.requestedAt ?? at, lastCallAt: at, calls: sql`${instance.calls} + 1` })
		.where(
			and(
				eq(instance.id, row.id),
				inArray(instance.state, ["intended", "requested"]),
				// Another machine of its gang may have been refused since the row was read.
				sql`exists (select from ${attempt} where ${attempt.id} = ${instance.attemptId} and ${attempt.stopRequestedAt} is null)`,
			),
		)
		.returning({ id: instance.id });
	if (!marked) return;
	ctx.probe("launch:request_marked");
	const expiresAtMs = row.expiresAt.getTime();
	let seen: InstanceObservation;
	try {
		seen = await driver.launch({
			instanceId: row.id,
			jobId: row.jobId,
			attemptId: row.attemptId,
			region: row.region,
			zone: row.zone,
			nodes: row.nodes,
			instanceType: row.instanceType,
			capacityType: row.capacityType === "owned" ? "on_demand" : row.capacityType,
			reservation: row.offer.reservation ?? null,
			userData: ctx.userDataFor({ instanceId: row.id, expiresAtMs, lifeMs: expiresAtMs - row.intendedAt.getTime() }),
			expiresAtMs,
		});
	} catch (error) {
		await handleLaunchError(ctx, driver, row, error);
		return;
	}
	ctx.probe("launch:provider_answered");
	await writeFound(ctx, row, seen, nowMs);
	await forgetRefusals(ctx, row);
	ctx.probe("launch:id_written");
}

/** The provider has the machine: from here on it costs money until it is seen to be gone. */
async function writeFound(ctx: LoopContext, row: LiveInstance, seen: InstanceObservation, askedMs: number): Promise<void> {
	const instanceId = row.id;
	const facts = factsOf(ctx, row, seen, askedMs);
	// A call that is repeated may answer what the first one did: it shows the machine as it was when it was launched.
	const at = new Date(Math.min(askedMs, facts.launchedAt.getTime()));
	await ctx.db.transaction(async (tx) => {
		await tx
			.update(instance)
			.set({
				state: "provisioning",
				providerInstanceId: seen.providerInstanceId,
				...facts,
				lastSeenAt: at,
				lastError: null,
			})
			// The agent may have called before the launch answered.
			.where(and(eq(instance.id, instanceId), eq(instance.state, "requested")));
		// What it bills then is for the next look to say, which must not take this call for a look at which it did not run yet.
		await tx
			.update(instance)
			.set({ launchedAt: sql`coalesce(${instance.launchedAt}, ${facts.launchedAt.toISOString()}::timestamptz)` })
			.where(eq(instance.id, instanceId));
		await writePlace(tx, row, seen);
		await notify(tx, { wake: true, changes: [{ topic: "instance", id: instanceId, team: null }] });
	});
}

/** When it was launched, and which time of it is billed, by what the provider answered between then and now. */
function factsOf(ctx: LoopContext, row: LiveInstance, seen: InstanceObservation, askedMs: number) {
	const look = { askedMs, answeredMs: ctx.clock.nowMs() };
	const launched = launchedAt(seen.launchedAtMs, row, look.answeredMs);
	return { launchedAt: launched, ...billedTime({ ...row, launchedAt: launched }, seen.billing, look) };
}

/** The offer has what was asked of it: for a gang, when all of its machines were found. */
async function forgetRefusals(ctx: LoopContext, row: LiveInstance): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const missing = await tx.$count(
			instance,
			and(eq(instance.attemptId, row.attemptId), or(isNull(instance.providerInstanceId), eq(instance.state, "terminated"))),
		);
		if (missing === 0) await clearBackOff(tx, row.offer.id);
	});
}

async function handleLaunchError(ctx: LoopContext, driver: CloudDriver, row: LiveInstance, error: unknown): Promise<void> {
	const kind = error instanceof DriverError ? error.kind : "transient";
	const message = messageOf(error);
	if (kind === "token_mismatch") {
		const askedMs = ctx.clock.nowMs();
		const found = await driver.findByToken(row.region, row.id);
		if (found) return writeFound(ctx, row, found, askedMs);
	}
	if (isTurnedAway(kind)) await setSiteHealth(ctx.db, { siteId: driver.siteId, healthy: false, message, atMs: ctx.clock.nowMs() });
	// Whoever was turned away knows no more of an earlier call that had no answer.
	if (!madeNothing(kind) || (isTurnedAway(kind) && row.calls > 0)) {
		await ctx.db.update(instance).set({ lastError: message }).where(eq(instance.id, row.id));
		ctx.log("warn", "a launch has no clear answer yet and is asked again", { instanceId: row.id, kind, message });
		return;
	}
	ctx.log("info", "a launch was refused", { instanceId: row.id, kind, message });
	await ctx.db.transaction(async (tx) => {
		const facts = { offerId: row.offer.id, message };
		const why =
			kind === "insufficient_capacity"
				? reason("launch_refused_capacity", facts)
				: kind === "quota_exceeded"
					? reason("launch_refused_quota", facts)
					: reason("launch_refused", facts);
		const first = await closeNeverMade(tx, ctx, row, why);
		// However many machines of a gang are refused, it is one refusal.
		if (!first) return;
		// What the provider cannot make sense of is left alone like a full place, so that the job does not spin on it.
		await backOffOffer(tx, {
			offerId: row.offer.id,
			why: kind === "quota_exceeded" ? "quota_exceeded" : "insufficient_capacity",
			atMs: ctx.clock.nowMs(),
			baseMs: ctx.timing.backoffBaseMs,
			maxMs: ctx.timing.backoffMaxMs,
		});
	});
	await settleInstance(ctx, row.id);
}

/**
 * An intent that is no longer wanted, and of which no provider id is known. When a call was made, its machine may exist:
 * it is looked for by its token until `launchForgetMs` after the newest call and after the first answer without it, and
 * ended when found.
 */
export async function resolveUnknownLaunch(ctx: LoopContext, driver: CloudDriver, row: LiveInstance, absences: Absences): Promise<void> {
	const never = reason("launch_never_happened");
	if (row.lastCallAt === null) {
		await ctx.db.transaction((tx) => closeNeverMade(tx, ctx, row, endOf(row) ?? never));
		return settleInstance(ctx, row.id);
	}
	const askedMs = ctx.clock.nowMs();
	const found = await driver.findByToken(row.region, row.id);
	if (found) {
		absences.clear(row.id);
		await ctx.db
			.update(instance)
			.set({
				state: "terminating",
				terminatingAt: new Date(ctx.clock.nowMs()),
				providerInstanceId: found.providerInstanceId,
				...factsOf(ctx, row, found, askedMs),
				lastSeenAt: new Date(askedMs),
				missingSince: null,
			})
			.where(and(eq(instance.id, row.id), inArray(instance.state, ["requested", "terminating"])));
		return;
	}
	const [nowMs, forMs] = [ctx.clock.nowMs(), ctx.timing.launchForgetMs];
	if (row.missingSince === null)
		await ctx.db
			.update(instance)
			.set({ missingSince: new Date(nowMs) })
			.where(eq(instance.id, row.id));
	const isMissing = absences.leftOut(row.id, { nowMs, forMs, sinceMs: (row.missingSince ?? new Date(nowMs)).getTime() });
	if (!isMissing || nowMs - row.lastCallAt.getTime() < forMs) return;
	await ctx.db.transaction((tx) => closeNeverMade(tx, ctx, row, endOf(row) ?? never));
	await settleInstance(ctx, row.id);
}

/**
 * Nothing was made, so nothing can run there: the instance ends here, its hold is given back by settling, and its attempt
 * ends with it; other machines of its gang are to be given back. Answers whether this was what ended the attempt.
 */
async function closeNeverMade(tx: Tx, ctx: LoopContext, row: LiveInstance, why: Reason): Promise<boolean> {
	const nowMs = ctx.clock.nowMs();
	await tx
		.update(instance)
		.set({ state: "terminated", terminatedAt: new Date(nowMs), reason: why, lastError: null, bootstrapHash: null })
		.where(and(eq(instance.id, row.id), inArray(instance.state, ["intended", "requested"])));
	await lockJobOf(tx, row.attemptId);
	const first = await requestStop(tx, { attemptId: row.attemptId, reason: ofMember(why, row.rank, row.nodes), atMs: nowMs });
	await endMember(tx, { attemptId: row.attemptId, instanceId: row.id, exit: null, atMs: nowMs, fallback: why });
	return first;
}
