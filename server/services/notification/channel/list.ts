import { asc } from "drizzle-orm";
import { channel } from "#server/db/schema/alert.ts";
import type { ChannelDigest } from "#server/domain/channel-digest.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { type ChannelRow, notRemoved, secretOf } from "./internal.ts";
import type { ChannelContext, ChannelKind } from "./schemas.ts";

export interface ChannelView {
	id: string;
	name: string;
	kind: ChannelKind;
	/** Addresses of an email channel; for a webhook only its host, because its path may be a secret. */
	target: string;
	/** Why its stored address cannot be used; null when it can. */
	problem: string | null;
	topics: string[];
	team: string | null;
	pipeline: string | null;
	digest: ChannelDigest;
	enabled: boolean;
	createdAt: string;
}

/**
 * Every channel, by name, without secrets.
 * @throws SpillwayError `forbidden` for callers without permission to change them, since people's addresses are private.
 */
export async function listChannels(ctx: ChannelContext): Promise<ChannelView[]> {
	authorize(ctx, "budget:change", null);
	const rows = await ctx.db.select().from(channel).where(notRemoved).orderBy(asc(channel.name), asc(channel.id));
	return rows.map((row) => {
		const { id, name, kind, topics, team, pipeline, digest, enabled, createdAt } = row;
		const target = targetOf(ctx.secret, row);
		return { id, name, kind, ...target, topics, team, pipeline, digest, enabled, createdAt: createdAt.toISOString() };
	});
}

function targetOf(secret: string, row: ChannelRow): Pick<ChannelView, "target" | "problem"> {
	if (row.recipients) return { target: row.recipients.join(", "), problem: null };
	try {
		return { target: new URL(secretOf(secret, row).url).host, problem: null };
	} catch (error) {
		return { target: "unreadable", problem: error instanceof Error ? error.message : String(error) };
	}
}
