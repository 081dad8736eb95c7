import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import type { Db, DbOrTx, Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { Reason } from "#server/domain/reasons.ts";

type Row = typeof instance.$inferSelect;
/** When the instance was launched, and the time that the provider bills for it. */
export type LaunchTimes = Pick<Row, "launchedAt" | "billedFrom" | "billedFromSlackMs" | "billedUntil" | "billedUntilSlackMs">;

/**
 * Marks an intent as requested, before the provider is called. Returns false if the launch must not happen any more:
 * the instance moved on, or its attempt was stopped because another machine of the gang was refused.
 */
export async function markRequested(db: Db, row: Pick<Row, "id" | "requestedAt">, at: Date): Promise<boolean> {
	const marked = await db
		.update(instance)
		.set({ state: "requested", requestedAt: row.requestedAt ?? at, lastCallAt: at, calls: sql`${instance.calls} + 1` })
		.where(
			and(
				eq(instance.id, row.id),
				inArray(instance.state, ["intended", "requested"]),
				sql`(${instance.attemptId} is null and ${instance.warmUntil} > ${at.toISOString()}::timestamptz
					or exists (select from ${attempt} where ${attempt.id} = ${instance.attemptId} and ${attempt.stopRequestedAt} is null))`,
			),
		)
		.returning({ id: instance.id });
	return marked.length > 0;
}

/** Records that the provider created the machine. From here on it costs money until it is seen terminated. */
export async function recordLaunched(
	tx: Tx,
	input: { instanceId: string; providerInstanceId: string; times: LaunchTimes & { launchedAt: Date }; seenAt: Date },
): Promise<void> {
	const { instanceId, providerInstanceId, times, seenAt } = input;
	await tx
		.update(instance)
		.set({ state: "provisioning", providerInstanceId, ...times, lastSeenAt: seenAt, lastError: null })
		// The agent may have called before the launch returned; then the instance is already in a later state.
		.where(and(eq(instance.id, instanceId), eq(instance.state, "requested")));
	// In that case only the launch time is missing. The next describe call records the billed time: if this call counted as
	// an observation, the instance would look as if it had not been running at it.
	await tx
		.update(instance)
		.set({ launchedAt: sql`coalesce(${instance.launchedAt}, ${times.launchedAt.toISOString()}::timestamptz)` })
		.where(eq(instance.id, instanceId));
}

/** Records a machine that was found by its token after its launch was given up: it must be terminated. */
export async function recordUnwantedLaunch(
	db: Db,
	input: { instanceId: string; providerInstanceId: string; times: LaunchTimes; seenAt: Date; nowMs: number },
): Promise<void> {
	const { instanceId, providerInstanceId, times, seenAt, nowMs } = input;
	await db
		.update(instance)
		.set({
			...{ state: "terminating" as const, terminatingAt: new Date(nowMs) },
			...{ providerInstanceId, ...times, lastSeenAt: seenAt, missingSince: null },
		})
		.where(and(eq(instance.id, instanceId), inArray(instance.state, ["requested", "terminating"])));
}

/** Records why the outcome of a launch call is still unknown. */
export async function recordLaunchError(db: Db, instanceId: string, message: string): Promise<void> {
	await db.update(instance).set({ lastError: message }).where(eq(instance.id, instanceId));
}

/** Ends an instance that was never created at the provider. */
export async function closeUnlaunched(tx: Tx, instanceId: string, reason: Reason, atMs: number): Promise<void> {
	await tx
		.update(instance)
		.set({ state: "terminated", terminatedAt: new Date(atMs), reason, lastError: null, bootstrapHash: null })
		.where(and(eq(instance.id, instanceId), inArray(instance.state, ["intended", "requested"])));
}

/** The number of instances of an attempt that have not been launched, or are terminated. */
export async function countUnlaunched(db: DbOrTx, attemptId: string): Promise<number> {
	const missing = or(isNull(instance.providerInstanceId), eq(instance.state, "terminated"));
	return db.$count(instance, and(eq(instance.attemptId, attemptId), missing));
}
