import { eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { isSilent, readHeartbeat } from "#server/services/core/heartbeat.ts";

/**
 * Written by server/db/backup/restore-backup.ts, or by a scheduler that finds machines newer than its database. Deleted once a
 * person has reviewed the machines in the clouds.
 */
const KEY = "restored";
/** Machines without a row that the reviewer kept. */
const KEPT_KEY = "kept_machines";

const machineSchema = z.object({
	siteId: z.string(),
	region: z.string(),
	providerInstanceId: z.string(),
	instanceType: z.string(),
	/** The job that it was launched for, from its tag, and that job's state in this database. */
	jobId: z.string().nullable().default(null),
	jobState: z.string().nullable().default(null),
});
const restoredSchema = z.object({
	backupAt: z.string(),
	restoredAt: z.string(),
	/** Machines with our tag but without a row; absent until the scheduler has listed them. */
	unknown: z.array(machineSchema).optional(),
	/** Machines of this database that the clouds no longer have: their jobs run again, although they may have ended. */
	missing: z.array(machineSchema).optional(),
	/** Sites that did not answer. */
	failedSites: z.array(z.string()).optional(),
});
export type Restored = z.infer<typeof restoredSchema>;

/** Null when the database was not restored, or the restore has been reviewed. */
export async function readRestored(db: DbOrTx): Promise<Restored | null> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, KEY));
	return row ? restoredSchema.parse(row.value) : null;
}

/** Records the scheduler's findings for the reviewer. */
export async function recordFound(db: DbOrTx, restored: Restored): Promise<void> {
	await db.update(setting).set({ value: restored }).where(eq(setting.key, KEY));
}

/** Starts the guard. */
export async function markRestored(db: DbOrTx, restored: Restored): Promise<void> {
	await db.insert(setting).values({ key: KEY, value: restored }).onConflictDoNothing();
}

/** Whether machines without a row may be right: during a review, before the first scheduler looked, and those that are kept. */
export async function areStraysExpected(db: DbOrTx, nowMs: number): Promise<boolean> {
	return (await readRestored(db)) !== null || isSilent(await readHeartbeat(db), nowMs) || (await readKept(db)).size > 0;
}

/** Forgets kept machines that have ended. */
export async function forgetKept(db: DbOrTx, ended: readonly string[]): Promise<void> {
	const value = [...(await readKept(db))].filter(([id]) => !ended.includes(id));
	await db.update(setting).set({ value }).where(eq(setting.key, KEPT_KEY));
}

/** Machines without a row that the sweep leaves alone: their ids with their sites. */
export async function readKept(db: DbOrTx): Promise<ReadonlyMap<string, string>> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, KEPT_KEY));
	return new Map(z.array(z.tuple([z.string(), z.string()])).parse(row?.value ?? []));
}

/**
 * Ends the guard: from now on the sweep terminates machines without a row, except those that are kept.
 * @param keep ids of machines on the list
 * @throws SpillwayError `conflict` while the list is not complete; `invalid_input` for a machine that is not on it
 */
export async function acceptRestored(ctx: ServiceContext, keep: readonly string[]): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const before = await readRestored(tx);
		if (!before) return;
		if (before.unknown === undefined)
			throw new SpillwayError("conflict", "The scheduler has not listed the clouds' machines yet.", {
				fix: "Start the scheduler, wait some seconds, and run `spillway restore` to see the list.",
			});
		if (before.failedSites?.length)
			throw new SpillwayError(
				"conflict",
				`These sites did not answer, so their machines are not on the list: ${before.failedSites.join(", ")}.`,
				{
					fix: "Correct their access. Or disable them and restart the scheduler: their machines are then neither listed nor terminated.",
				},
			);
		const listed = before.unknown.map(({ providerInstanceId }) => providerInstanceId);
		const wrong = keep.filter((id) => !listed.includes(id));
		if (wrong.length > 0)
			throw new SpillwayError("invalid_input", `Not on the list: ${wrong.join(", ")}.`, { fix: "`spillway restore` shows the list." });
		await tx.delete(setting).where(eq(setting.key, KEY));
		const siteIds = new Map(before.unknown.map(({ providerInstanceId, siteId }) => [providerInstanceId, siteId]));
		const value = [...(await readKept(tx)), ...keep.map((id) => [id, siteIds.get(id)])];
		await tx.insert(setting).values({ key: KEPT_KEY, value }).onConflictDoUpdate({ target: setting.key, set: { value } });
		const released = listed.filter((id) => !keep.includes(id));
		await writeAudit(tx, ctx, { action: "database.reviewed", subject: "database", before, after: { kept: keep, released } });
	});
}
