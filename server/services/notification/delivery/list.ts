import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import type { z } from "zod";
import { listDeliveriesInput } from "#server/contract/inputs/channel.ts";
import { channel, delivery } from "#server/db/schema/alert.ts";
import type { DELIVERY_STATES } from "#server/domain/alert.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { decodeCursor, encodeCursor } from "#server/services/core/cursor.ts";
import { TRIES_MAX } from "./retry.ts";

export interface DeliveryView {
	id: string;
	channelId: string;
	channelName: string;
	channelKind: string;
	about: string;
	title: string;
	state: (typeof DELIVERY_STATES)[number];
	tries: number;
	triesMax: number;
	lastError: string | null;
	createdAt: string;
	sentAt: string | null;
	/** For unsent messages. */
	nextTryAt: string | null;
}

/**
 * Sent, pending and failed messages of channels; newest first. Mail to people about their own work is visible only to them.
 * @throws SpillwayError `forbidden` for callers without the right to change channels.
 */
export async function listDeliveries(
	ctx: ServiceContext,
	raw: z.input<typeof listDeliveriesInput>,
): Promise<{ items: DeliveryView[]; nextCursor: string | null }> {
	authorize(ctx, "budget:change", null);
	const { state, cursor, limit } = listDeliveriesInput.parse(raw);
	const at = cursor === undefined ? null : decodeCursor(cursor);
	const rows = await ctx.db
		.select({ delivery, channelId: channel.id, channelName: channel.name, channelKind: channel.kind })
		.from(delivery)
		.innerJoin(channel, eq(channel.id, delivery.channelId))
		.where(
			and(
				state === undefined ? undefined : eq(delivery.state, state),
				at === null
					? undefined
					: or(lt(delivery.createdAt, new Date(at.atMs)), and(eq(delivery.createdAt, new Date(at.atMs)), sql`${delivery.id} < ${at.id}`)),
			),
		)
		.orderBy(desc(delivery.createdAt), desc(delivery.id))
		.limit(limit + 1);
	const items = rows.slice(0, limit).map(({ delivery: d, channelId, channelName, channelKind }): DeliveryView => {
		const { id, about, state, tries, lastError } = d;
		const times = { createdAt: d.createdAt.toISOString(), sentAt: d.sentAt?.toISOString() ?? null };
		const nextTryAt = state === "pending" ? d.nextTryAt.toISOString() : null;
		return {
			id,
			channelId,
			channelName,
			channelKind,
			about,
			title: d.message.title,
			state,
			tries,
			triesMax: TRIES_MAX,
			lastError,
			...times,
			nextTryAt,
		};
	});
	const last = items.at(-1);
	return { items, nextCursor: rows.length > limit && last ? encodeCursor(Date.parse(last.createdAt), last.id) : null };
}
