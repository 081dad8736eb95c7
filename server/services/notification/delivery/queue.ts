import { sql } from "drizzle-orm";
import { UTC } from "#server/accounting/zone.ts";
import type { Tx } from "#server/db/client.ts";
import { channel, delivery } from "#server/db/schema/alert.ts";
import type { ChannelTopic } from "#server/domain/alert.ts";
import type { AlertFactValues } from "#server/domain/alert-facts.ts";
import { digestTimeMs } from "#server/domain/channel-digest.ts";
import { newId } from "#server/kernel/ids.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";

export interface OutboxMessage {
	title: string;
	text: string;
	facts: AlertFactValues;
	/** Path below the installation's address, e.g. `/budgets?alert=…`. */
	link: string;
}

/** Topics split off from another one: channels with the other one still receive them. */
const FORMERLY: Partial<Record<ChannelTopic, ChannelTopic[]>> = { sweep_failing: ["money_at_risk"] };

/**
 * Puts a message into the outbox of every channel of the topic: one delivery per channel, in the transaction of
 * the event. A channel with a digest collects it. A repeated event adds nothing. Returns how many were added.
 * @param about `alert:<id>`, `statement:<id>` or `work:<id>:<event>`.
 * @param team the team concerned; null: everyone. A channel of one team gets only that team's messages.
 * @param pipeline the pipeline or sweep concerned, by name. A channel of one pipeline gets only that pipeline's messages.
 */
export async function queueMessage(
	tx: Tx,
	input: {
		topic: ChannelTopic;
		team: string | null;
		pipeline?: string | null;
		about: string;
		message: OutboxMessage;
		nowMs: number;
		since?: Date;
	},
): Promise<number> {
	const { topic, team, pipeline = null, about, message, nowMs, since } = input;
	const channels = await tx
		.select({ id: channel.id, digest: channel.digest })
		.from(channel)
		.where(
			sql`${channel.enabled} and ${channel.topics} && ${sql.param([topic, ...(FORMERLY[topic] ?? [])])}::text[] and (${channel.team} is null or ${channel.team} = ${team})
				and (${channel.pipeline} is null or ${channel.pipeline} = ${pipeline})
				and ${since ? sql`${channel.createdAt} <= ${since.toISOString()}::timestamptz` : sql`true`}`,
		);
	if (channels.length === 0) return 0;
	const at = new Date(nowMs);
	const zone = channels.every(({ digest }) => digest === "immediate") ? UTC.zone : (await ledgerCalendar(tx)).zone;
	const added = await tx
		.insert(delivery)
		.values(
			channels.map((c) => {
				const digestMs = digestTimeMs(c.digest, zone, nowMs);
				const digestAt = digestMs === null ? null : new Date(digestMs);
				return { id: newId("dlv", nowMs), channelId: c.id, about, message, createdAt: at, nextTryAt: digestAt ?? at, digestAt };
			}),
		)
		.onConflictDoNothing()
		.returning({ id: delivery.id });
	return added.length;
}
