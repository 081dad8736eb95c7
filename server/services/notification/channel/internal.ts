import { and, eq, isNotNull, or } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { channel } from "#server/db/schema/alert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { type ChannelSecret, channelSecretSchema } from "./schemas.ts";
import { openSecret } from "./secret-box.ts";

export type ChannelRow = typeof channel.$inferSelect;

/** A removed channel keeps its row for the log of sent messages; it has no address. */
export const notRemoved = or(isNotNull(channel.recipients), isNotNull(channel.secret));

/** @throws SpillwayError `not_found`. */
export async function fetchChannel(db: DbOrTx, id: string): Promise<ChannelRow> {
	const [row] = await db
		.select()
		.from(channel)
		.where(and(eq(channel.id, id), notRemoved));
	if (!row) throw new SpillwayError("not_found", `There is no channel ${id}.`, { fix: "It may have been removed. Reload the list." });
	return row;
}

/** @throws SpillwayError `precondition_failed` when it was stored under another SPILLWAY_SECRET. */
export function secretOf(secret: string, row: Pick<ChannelRow, "id" | "secret">): ChannelSecret {
	if (row.secret === null) throw new SpillwayError("precondition_failed", "The channel has no address. Enter one in its settings.");
	return channelSecretSchema.parse(JSON.parse(openSecret(secret, row.id, row.secret)));
}

/** Audit log fields of a channel: everything but its secret. */
export function auditedChannel({ secret: _, createdAt: __, ...rest }: ChannelRow) {
	return rest;
}
