import { eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { CAPACITY_TYPES } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { isSilent, readHeartbeat } from "#server/services/core/heartbeat.ts";
import { keepMachines, readKept } from "./kept.ts";

/**
 * Written by server/db/backup/restore-backup.ts, or by a scheduler that finds machines newer than its database. Deleted once a
 * person has reviewed the machines in the clouds.
 */
const KEY = "restored";

const machineSchema = z.object({
	siteId: z.string(),
	region: z.string(),
	providerInstanceId: z.string(),
	instanceType: z.string(),
	/** Absent in a list of an earlier release. */
	zone: z.string().nullable().default(null),
	capacityType: z.enum(CAPACITY_TYPES).nullable().default(null),
	launchedAtMs: z.number().nullable().default(null),
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

/**
 * Ends the guard: from now on the sweep terminates machines without a row, except those that are kept.
 * @param keep ids of machines on the list
 * @param by the reviewer, as shown with the kept machines
 * @throws SpillwayError `conflict` while the list is not complete; `invalid_input` for a machine that is not on it
 */
export async function acceptRestored(ctx: ServiceContext, keep: readonly string[], by: string): Promise<void> {
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
		await keepMachines(
			tx,
			before.unknown.filter(({ providerInstanceId }) => keep.includes(providerInstanceId)),
			{ by, nowMs: ctx.clock.nowMs() },
		);
		const released = listed.filter((id) => !keep.includes(id));
		await writeAudit(tx, ctx, { action: "database.reviewed", subject: "database", before, after: { kept: keep, keptBy: by, released } });
	});
}
