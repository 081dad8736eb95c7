import { and, asc, eq, inArray, isNotNull, isNull, lte } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { channel, delivery } from "#server/db/schema/alert.ts";
import { channelDigest } from "#server/domain/channel-digest.ts";
import { newId } from "#server/kernel/ids.ts";

/**
 * Puts one digest into the outbox for each channel with events that are due. The digest and the mark on its events are one transaction.
 * A single event is sent as is, and so are events of a channel that has no digest any more.
 * @param publicUrl address of the installation, for links
 * @returns the number of channels
 */
export async function collectChannels(tx: Tx, { publicUrl, nowMs }: { publicUrl: string; nowMs: number }): Promise<number> {
	const due = await tx
		.selectDistinct({ id: channel.id, digest: channel.digest })
		.from(delivery)
		.innerJoin(channel, eq(channel.id, delivery.channelId))
		.where(and(isWaiting, lte(delivery.digestAt, new Date(nowMs))))
		.orderBy(asc(channel.id));
	for (const { id, digest } of due) {
		const events = await tx
			.select()
			.from(delivery)
			.where(and(isWaiting, eq(delivery.channelId, id), lte(delivery.digestAt, new Date(nowMs))))
			.orderBy(asc(delivery.createdAt), asc(delivery.id));
		const ids = events.map((event) => event.id);
		if (digest === "immediate" || events.length === 1) {
			await tx
				.update(delivery)
				.set({ digestAt: null, nextTryAt: new Date(nowMs) })
				.where(inArray(delivery.id, ids));
			continue;
		}
		const words = channelDigest(
			digest,
			events.map(({ message }) => ({ ...message, event: textOf(message.facts.rule) })),
			(path) => `${publicUrl}${path}`,
		);
		const digestId = newId("dlv", nowMs);
		const at = new Date(nowMs);
		await tx.insert(delivery).values({
			...{ id: digestId, channelId: id, about: `digest:${digestId}`, createdAt: at, nextTryAt: at },
			message: { ...words, facts: { events: events.length, digest } },
		});
		await tx.update(delivery).set({ digestId }).where(inArray(delivery.id, ids));
	}
	return due.length;
}

/** Events that are in no digest yet. */
const isWaiting = and(eq(delivery.state, "pending"), isNotNull(delivery.digestAt), isNull(delivery.digestId));

function textOf(value: unknown): string | null {
	return typeof value === "string" ? value : null;
}
