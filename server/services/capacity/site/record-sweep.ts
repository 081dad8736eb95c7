import { eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { site } from "#server/db/schema/site.ts";

type SweepRecord = (typeof site.$inferSelect)["lastSweep"];

/** Records a sweep. `next` builds the new record from the previous one. `orphansAt` is set if the sweep found orphans. */
export async function recordSweep(
	db: Db,
	siteId: string,
	input: { next: (before: SweepRecord) => NonNullable<SweepRecord>; orphansAt: Date | null },
): Promise<void> {
	await db.transaction(async (tx) => {
		const [before] = await tx.select({ lastSweep: site.lastSweep }).from(site).where(eq(site.id, siteId)).for("update");
		await tx
			.update(site)
			.set({ lastSweep: input.next(before?.lastSweep ?? null), ...(input.orphansAt ? { lastOrphanAt: input.orphansAt } : {}) })
			.where(eq(site.id, siteId));
		await notify(tx, { changes: [{ topic: "site", id: siteId, team: null }] });
	});
}
