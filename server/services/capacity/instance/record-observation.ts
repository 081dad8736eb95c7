import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { LaunchTimes } from "./record-launch.ts";

type Row = typeof instance.$inferSelect;

const LAUNCHED_STATES = ["provisioning", "ready", "draining", "terminating"] as const;

export type Sighting = LaunchTimes & { id: string; seenAt: Date };

/** Records that the provider listed these instances as not terminated. Cost: one statement, which locks them in the order of their ids. */
export async function recordSeen(db: Db, sightings: readonly Sighting[]): Promise<void> {
	if (sightings.length === 0) return;
	await db.execute(sql`
		with seen as (
			select * from jsonb_to_recordset(${JSON.stringify(sightings)}::jsonb) as s(id text, "seenAt" timestamptz, "launchedAt" timestamptz,
				"billedFrom" timestamptz, "billedFromSlackMs" bigint, "billedUntil" timestamptz, "billedUntilSlackMs" bigint)
		), locked as materialized (
			select id from instance where id in (select id from seen) order by id for no key update
		)
		update instance set launched_at = seen."launchedAt", last_seen_at = seen."seenAt", missing_since = null,
			billed_from = seen."billedFrom", billed_from_slack_ms = seen."billedFromSlackMs",
			billed_until = seen."billedUntil", billed_until_slack_ms = seen."billedUntilSlackMs"
		from seen join locked using (id) where instance.id = seen.id`);
}

/** Records the first successful listing without the instance. */
export async function recordMissing(db: Db, instanceId: string, missingSince: Date): Promise<void> {
	await db.update(instance).set({ missingSince }).where(eq(instance.id, instanceId));
}

export interface ObservedPlace {
	zone: string | null;
	privateAddress: string | null;
	/** The instance's name in documents signed by the provider. */
	signedId?: string;
}

/** Records zone, address and signed id. The zone of a gang's first instance applies to those that are not launched yet. */
export async function recordPlace(
	tx: Tx,
	row: Pick<Row, "id" | "attemptId" | "rank"> & { nodes: number },
	seen: ObservedPlace,
): Promise<void> {
	await tx
		.update(instance)
		.set({
			zone: sql`coalesce(${instance.zone}, ${seen.zone})`,
			privateAddress: sql`coalesce(${instance.privateAddress}, ${seen.privateAddress})`,
			// Use the latest one: an instance that vanished and was requested again keeps its name but gets a new signed id.
			...(seen.signedId === undefined ? {} : { signedId: seen.signedId }),
		})
		.where(eq(instance.id, row.id));
	if (row.rank !== 0 || row.nodes === 1 || row.attemptId === null || seen.zone === null) return;
	await tx
		.update(instance)
		.set({ zone: seen.zone })
		.where(and(eq(instance.attemptId, row.attemptId), eq(instance.state, "intended"), isNull(instance.zone)));
}

/**
 * Marks that a terminate call is about to be sent to the provider. Returns false if the instance is already terminated, or was kept warm
 * and has got a job.
 */
export async function markTerminating(tx: Tx, row: Pick<Row, "id" | "attemptId" | "terminatingAt">, at: Date): Promise<boolean> {
	const isAsRead = row.attemptId === null ? isNull(instance.attemptId) : undefined;
	const marked = await tx
		.update(instance)
		.set({
			...{ state: "terminating" as const, terminatingAt: row.terminatingAt ?? at, lastTerminateCallAt: at },
			terminateCalls: sql`${instance.terminateCalls} + 1`,
		})
		.where(and(eq(instance.id, row.id), inArray(instance.state, LAUNCHED_STATES), isAsRead))
		.returning({ id: instance.id });
	return marked.length > 0;
}

/** Records that the provider terminated the instance. Returns its job and attempt; null if that was recorded before. */
export async function recordTerminated(
	tx: Tx,
	input: { instanceId: string; reason: Reason; times: LaunchTimes; terminatedAt: Date; seenAt: Date },
): Promise<Pick<Row, "jobId" | "attemptId"> | null> {
	const { instanceId, reason, times, terminatedAt, seenAt } = input;
	const written = await tx
		.update(instance)
		.set({ state: "terminated", ...times, terminatedAt, lastSeenAt: seenAt, reason, bootstrapHash: null })
		.where(and(eq(instance.id, instanceId), inArray(instance.state, LAUNCHED_STATES)))
		.returning({ jobId: instance.jobId, attemptId: instance.attemptId });
	return written[0] ?? null;
}

/** Corrects the billed time of an instance that was already recorded as terminated. */
export async function recordBilledTime(db: Db, instanceId: string, billed: Omit<LaunchTimes, "launchedAt">): Promise<void> {
	await db.update(instance).set(billed).where(eq(instance.id, instanceId));
}
