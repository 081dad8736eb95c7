import { eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/** Written by server/db/backup/restore-backup.ts, and deleted once a person has reviewed the machines in the clouds. */
const KEY = "restored";

const machineSchema = z.object({
	siteId: z.string(),
	region: z.string(),
	providerInstanceId: z.string(),
	instanceType: z.string(),
});
const restoredSchema = z.object({
	backupAt: z.string(),
	restoredAt: z.string(),
	/** Machines with our tag but without a row; absent until the scheduler has listed them. */
	unknown: z.array(machineSchema).optional(),
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

/** Ends the guard: from now on the sweep terminates machines without a row. */
export async function acceptRestored(ctx: ServiceContext): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const before = await readRestored(tx);
		if (!before) return;
		await tx.delete(setting).where(eq(setting.key, KEY));
		await writeAudit(tx, ctx, { action: "database.reviewed", subject: "database", before });
	});
}
