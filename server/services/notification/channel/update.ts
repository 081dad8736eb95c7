import { and, eq, isNotNull, isNull } from "drizzle-orm";
import { updateChannelInput } from "#server/contract/inputs/channel.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { channel, delivery } from "#server/db/schema/alert.ts";
import { digestTimeMs } from "#server/domain/channel-digest.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { auditedChannel, type ChannelRow, fetchChannel, secretOf } from "./internal.ts";
import type { ChannelContext, UpdateChannelInput } from "./schemas.ts";
import { sealSecret } from "./secret-box.ts";

/**
 * Changes a channel; omitted fields stay unchanged.
 * @throws SpillwayError `forbidden`, `not_found`, `invalid_input` for a field that its kind does not have; ZodError.
 */
export async function updateChannel(ctx: ChannelContext, raw: UpdateChannelInput): Promise<void> {
	authorize(ctx, "budget:change", null);
	const { id, url, signingKey, ...input } = updateChannelInput.parse(raw);
	await ctx.db.transaction(async (tx) => {
		const before = await fetchChannel(tx, id);
		rejectForeign(before, { recipients: input.recipients, url, signingKey });
		const kept = before.secret !== null && (url === undefined) !== (signingKey === undefined) ? secretOf(ctx.secret, before) : null;
		const sealed =
			url === undefined && signingKey === undefined
				? before.secret
				: sealSecret(ctx.secret, id, JSON.stringify({ url: url ?? kept?.url, signingKey: signingKey ?? kept?.signingKey ?? null }));
		const after: ChannelRow = {
			...before,
			name: input.name ?? before.name,
			topics: input.topics ?? before.topics,
			team: input.team === undefined ? before.team : input.team,
			pipeline: input.pipeline === undefined ? before.pipeline : input.pipeline,
			digest: input.digest ?? before.digest,
			enabled: input.enabled ?? before.enabled,
			recipients: input.recipients ?? before.recipients,
			secret: sealed,
		};
		await tx.update(channel).set(after).where(eq(channel.id, id));
		if (after.digest !== before.digest) await moveWaiting(tx, after, ctx.clock.nowMs());
		const replaced = sealed === before.secret ? {} : { secretReplaced: true };
		await writeAudit(tx, ctx, {
			...{ action: "channel.update", subject: id },
			...{ before: auditedChannel(before), after: { ...auditedChannel(after), ...replaced } },
		});
		await notify(tx, { changes: [{ topic: "alert", id: null, team: null }] });
	});
}

/** Moves events that wait for the channel's digest to the next one of its new digest, or to now without one. */
async function moveWaiting(tx: Tx, { id, digest }: ChannelRow, nowMs: number): Promise<void> {
	const { zone } = await ledgerCalendar(tx);
	const at = new Date(digestTimeMs(digest, zone, nowMs) ?? nowMs);
	await tx
		.update(delivery)
		.set({ digestAt: at, nextTryAt: at })
		.where(and(eq(delivery.channelId, id), eq(delivery.state, "pending"), isNotNull(delivery.digestAt), isNull(delivery.digestId)));
}

function rejectForeign(row: ChannelRow, given: { recipients: unknown; url: unknown; signingKey: unknown }): void {
	const foreign = Object.entries(given).filter(([name, value]) => value !== undefined && !FIELDS[row.kind].includes(name));
	const [first] = foreign;
	if (!first) return;
	throw new SpillwayError("invalid_input", `A channel of kind ${row.kind} has no ${first[0]}.`, {
		fields: foreign.map(([path]) => ({ path, message: `is not for ${row.kind}` })),
	});
}

const FIELDS: Record<ChannelRow["kind"], readonly string[]> = {
	email: ["recipients"],
	slack: ["url"],
	teams: ["url"],
	webhook: ["url", "signingKey"],
	cloudevents: ["url", "signingKey"],
};
