import { isSigned } from "#server/domain/alert.ts";
import type { CompanySpec } from "#server/domain/company-schema.ts";
import { createChannel } from "#server/services/notification/channel/create.ts";
import { fetchChannel, secretOf } from "#server/services/notification/channel/internal.ts";
import { type ChannelView, listChannels } from "#server/services/notification/channel/list.ts";
import { removeChannel } from "#server/services/notification/channel/remove.ts";
import { updateChannel } from "#server/services/notification/channel/update.ts";
import { type Change, type CompanyContext, differences, type PlanPart, SECRET } from "./change.ts";
import type { Secrets } from "./secrets.ts";

type Channel = NonNullable<CompanySpec["channels"]>[number];

export async function planChannels(
	ctx: CompanyContext,
	wanted: readonly Channel[],
	{ prune, secrets }: { prune: boolean; secrets: Secrets },
): Promise<PlanPart> {
	const known = await listChannels(ctx);
	const byName = new Map(known.map((channel) => [channel.name.toLowerCase(), channel]));
	const problems = wanted.flatMap((channel, index) => problemsOf(channel, byName.get(channel.name.toLowerCase()), index));
	const changes: Change[] = [];
	for (const channel of problems.length > 0 ? [] : wanted) {
		const before = byName.get(channel.name.toLowerCase());
		changes.push(...(before ? await planChange(ctx, channel, before, secrets) : [planCreate(channel, secrets)]));
	}
	const names = new Set(wanted.map(({ name }) => name.toLowerCase()));
	const removed = known.filter(({ name }) => prune && !names.has(name.toLowerCase()));
	return {
		changes: [
			...changes,
			...removed.map(
				({ id, name }): Change => ({
					...{ kind: "channel", id: name, action: "remove", fields: [] },
					apply: (at) => removeChannel(at, id),
				}),
			),
		],
		skipped: [],
		problems,
	};
}

function problemsOf(channel: Channel, before: ChannelView | undefined, index: number): PlanPart["problems"] {
	const at = (field: string) => ["spec", "channels", index, field];
	const needed = channel.kind === "email" ? "recipients" : "url";
	const foreign =
		channel.kind === "email"
			? (["url", "signingKey"] as const)
			: isSigned(channel.kind)
				? (["recipients"] as const)
				: (["recipients", "signingKey"] as const);
	return [
		...(channel[needed] === undefined ? [{ at: at(needed), message: `A channel of kind ${channel.kind} needs ${needed}.` }] : []),
		...foreign
			.filter((field) => channel[field] !== undefined)
			.map((field) => ({ at: at(field), message: `A channel of kind ${channel.kind} has no ${field}.` })),
		...(before && before.kind !== channel.kind
			? [{ at: at("kind"), message: `Channel ${channel.name} is of kind ${before.kind}, which cannot change. Use another name.` }]
			: []),
	];
}

/** The plain fields common to the file and the list. */
function plainOf({
	topics,
	team = null,
	pipeline = null,
	digest = "immediate",
	recipients,
}: Pick<Channel, "topics" | "recipients" | "digest"> & Partial<Record<"team" | "pipeline", string | null | undefined>>) {
	return { topics: [...new Set(topics)].sort(), team, pipeline, digest, ...(recipients && { recipients: [...recipients] }) };
}

function planCreate(channel: Channel, secrets: Secrets): Change {
	const { name, kind, recipients = [] } = channel;
	const plain = plainOf(channel);
	const url = secrets[channel.url ?? ""] ?? "";
	const signingKey = channel.signingKey === undefined ? undefined : secrets[channel.signingKey];
	const { team, pipeline, digest } = plain;
	const common = { name, topics: [...channel.topics], team, pipeline, digest };
	const secret = kind === "email" ? {} : { url: SECRET, ...(signingKey !== undefined && { signingKey: SECRET }) };
	return {
		...{ kind: "channel", id: name, action: "create", fields: differences(null, { kind, ...plain, ...secret }) },
		apply: (ctx) => {
			if (kind === "email") return createChannel(ctx, { kind, ...common, recipients });
			return createChannel(
				ctx,
				kind === "slack" || kind === "teams"
					? { kind, ...common, url }
					: { kind, ...common, url, ...(signingKey !== undefined && { signingKey }) },
			);
		},
	};
}

async function planChange(ctx: CompanyContext, channel: Channel, before: ChannelView, secrets: Secrets): Promise<Change[]> {
	const row = await fetchChannel(ctx.db, before.id);
	const stored = row.secret === null ? null : secretOf(ctx.secret, row);
	const url = channel.url === undefined ? undefined : secrets[channel.url];
	const signingKey = channel.signingKey === undefined ? undefined : secrets[channel.signingKey];
	const changedSecrets = {
		...(url !== undefined && url !== stored?.url && { url }),
		...(signingKey !== undefined && signingKey !== stored?.signingKey && { signingKey }),
	};
	const after = { ...plainOf(channel), enabled: true };
	const { team, pipeline, digest } = row;
	const known = {
		...plainOf({ topics: row.topics as Channel["topics"], team, pipeline, digest, recipients: row.recipients ?? undefined }),
		enabled: row.enabled,
	};
	const fields = [
		...differences(known, after),
		...Object.keys(changedSecrets).map((field) => ({ field, before: SECRET, after: `${SECRET}, changed` })),
	];
	if (fields.length === 0) return [];
	const changes = { ...after, topics: [...channel.topics], ...changedSecrets };
	return [
		{ ...{ kind: "channel", id: channel.name, action: "update", fields }, apply: (at) => updateChannel(at, { id: before.id, ...changes }) },
	];
}
