import { and, eq, ne } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { site } from "#server/db/schema/site.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";

/** Records that a site answers, or why it does not; a change wakes the control loop and appears in the feed. */
export async function setSiteHealth(
	db: Db,
	input: { siteId: string; healthy: boolean; message: string | null; atMs: number },
): Promise<void> {
	const seen = { healthMessage: input.message, ...(input.healthy && { lastSeenAt: new Date(input.atMs) }) };
	const steady = await db
		.update(site)
		.set(seen)
		.where(and(eq(site.id, input.siteId), eq(site.healthy, input.healthy)))
		.returning({ id: site.id });
	if (steady.length > 0) return;
	await db.transaction(async (tx) => {
		const changed = await tx
			.update(site)
			.set({ ...seen, healthy: input.healthy, unhealthySince: input.healthy ? null : new Date(input.atMs) })
			.where(and(eq(site.id, input.siteId), ne(site.healthy, input.healthy)))
			.returning({ id: site.id });
		if (changed.length === 0) return;
		await recordEvents(tx, [{ kind: input.healthy ? "site_healthy" : "site_unhealthy", atMs: input.atMs, siteId: input.siteId }]);
		await notify(tx, { wake: true, changes: [{ topic: "site", id: input.siteId, team: null }] });
	});
}
