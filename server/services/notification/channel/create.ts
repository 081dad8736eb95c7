import { randomBytes } from "node:crypto";
import { createChannelInput } from "#server/contract/inputs/channel.ts";
import { notify } from "#server/db/notify.ts";
import { channel } from "#server/db/schema/alert.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { actorName } from "#server/services/core/context.ts";
import { auditedChannel, type ChannelRow } from "./internal.ts";
import type { ChannelContext, CreateChannelInput } from "./schemas.ts";
import { sealSecret } from "./secret-box.ts";

/**
 * Adds a destination for alerts and statements. Returns the signing key of a generic webhook, only this once: afterwards it can be replaced
 * but never read.
 * @throws SpillwayError `forbidden`; ZodError.
 */
export async function createChannel(ctx: ChannelContext, raw: CreateChannelInput): Promise<{ id: string; signingKey: string | null }> {
	authorize(ctx, "budget:change", null);
	const input = createChannelInput.parse(raw);
	const nowMs = ctx.clock.nowMs();
	const id = newId("chan", nowMs);
	const signingKey =
		input.kind === "webhook" || input.kind === "cloudevents" ? (input.signingKey ?? randomBytes(32).toString("base64url")) : null;
	const secret = input.kind === "email" ? null : sealSecret(ctx.secret, id, JSON.stringify({ url: input.url, signingKey }));
	const row: ChannelRow = {
		...{ id, name: input.name, kind: input.kind, topics: input.topics, team: input.team, pipeline: input.pipeline, secret },
		digest: input.digest,
		recipients: input.kind === "email" ? input.recipients : null,
		...{ enabled: true, createdAt: new Date(nowMs), createdBy: actorName(ctx.actor) },
	};
	await ctx.db.transaction(async (tx) => {
		await tx.insert(channel).values(row);
		await writeAudit(tx, ctx, { action: "channel.create", subject: id, after: auditedChannel(row) });
		await notify(tx, { changes: [{ topic: "alert", id: null, team: null }] });
	});
	return { id, signingKey };
}
