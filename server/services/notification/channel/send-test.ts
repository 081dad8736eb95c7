import { delivery } from "#server/db/schema/alert.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { fetchChannel } from "./internal.ts";

/**
 * Puts a test message into the outbox of one channel, where it is sent like any other. Returns its id in the log.
 * @throws SpillwayError `forbidden`, `not_found`.
 */
export async function sendTest(ctx: ServiceContext, channelId: string): Promise<{ deliveryId: string }> {
	authorize(ctx, "budget:change", null);
	const nowMs = ctx.clock.nowMs();
	const id = newId("dlv", nowMs);
	await ctx.db.transaction(async (tx) => {
		const row = await fetchChannel(tx, channelId);
		await tx.insert(delivery).values({
			...{ id, channelId, about: `test:${id}`, createdAt: new Date(nowMs), nextTryAt: new Date(nowMs) },
			message: {
				title: "A test from Spillway",
				text: `If you can read this, the channel "${row.name}" works. Nothing has happened.`,
				facts: {},
				link: "/budgets",
			},
		});
		await writeAudit(tx, ctx, { action: "channel.test", subject: channelId, after: { deliveryId: id } });
	});
	return { deliveryId: id };
}
