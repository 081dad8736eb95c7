import { and, eq } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { channel, delivery } from "#server/db/schema/alert.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { auditedChannel, fetchChannel } from "./internal.ts";

/**
 * Removes a channel with its address and key. Its row remains without them for the log of sent messages; unsent messages fail.
 * @throws SpillwayError `forbidden`, `not_found`.
 */
export async function removeChannel(ctx: ServiceContext, id: string): Promise<void> {
	authorize(ctx, "budget:change", null);
	await ctx.db.transaction(async (tx) => {
		const before = await fetchChannel(tx, id);
		await tx.update(channel).set({ enabled: false, secret: null, recipients: null, topics: [] }).where(eq(channel.id, id));
		await tx
			.update(delivery)
			.set({ state: "failed", lastError: "The channel was removed before this was sent." })
			.where(and(eq(delivery.channelId, id), eq(delivery.state, "pending")));
		await writeAudit(tx, ctx, { action: "channel.remove", subject: id, before: auditedChannel(before) });
		await notify(tx, { changes: [{ topic: "alert", id: null, team: null }] });
	});
}
