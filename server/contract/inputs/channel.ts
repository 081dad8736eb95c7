import { z } from "zod";
import { ALERT_RULES, CHANNEL_TOPICS, DELIVERY_STATES, SIGNED_KINDS } from "#server/domain/alert.ts";
import { CHANNEL_DIGESTS } from "#server/domain/channel-digest.ts";

export const listAlertsInput = z.strictObject({
	state: z.enum(["open", "past"]).optional(),
	rule: z.enum(ALERT_RULES).optional(),
	cursor: z.string().max(400).optional(),
	limit: z.number().int().min(1).max(200).default(50),
});

const name = z.string().trim().min(1).max(80);

const topics = z
	.array(z.enum(CHANNEL_TOPICS))
	.min(1, "choose at least one thing that it hears of")
	.max(CHANNEL_TOPICS.length)
	.transform((list) => [...new Set(list)]);

const recipients = z.array(z.email()).min(1, "give at least one address").max(50);

const url = z
	.url({ protocol: /^https?$/, error: "must be an http or https address", abort: true })
	.max(2_000)
	.refine((text) => new URL(text).username === "" && new URL(text).password === "", "must hold no user name or password");

/** The key for verifying the signature. Default: generated. */
const signingKey = z.string().min(16, "must have at least 16 characters").max(256);

/** Only events of pipelines and sweeps of this name, and of their jobs; alerts and statements do not belong to one. */
const pipeline = z.string().min(1).max(64).nullable();
const team = z.string().min(1).max(64).nullable();

const digest = z.enum(CHANNEL_DIGESTS);
const scope = { pipeline: pipeline.default(null), digest: digest.default("immediate") };

export const createChannelInput = z.discriminatedUnion("kind", [
	z.strictObject({ kind: z.literal("email"), name, topics, team, ...scope, recipients }),
	z.strictObject({ kind: z.enum(["slack", "teams"]), name, topics, team, ...scope, url }),
	z.strictObject({
		kind: z.enum(SIGNED_KINDS),
		name,
		topics,
		team,
		...scope,
		url,
		signingKey: signingKey.optional(),
	}),
]);

/** Omitted fields stay unchanged; the kind of a channel never changes. */
export const updateChannelInput = z.strictObject({
	id: z.string().min(1).max(64),
	name: name.optional(),
	topics: topics.optional(),
	team: team.optional(),
	pipeline: pipeline.optional(),
	digest: digest.optional(),
	enabled: z.boolean().optional(),
	recipients: recipients.optional(),
	url: url.optional(),
	signingKey: signingKey.optional(),
});

export const listDeliveriesInput = z.strictObject({
	state: z.enum(DELIVERY_STATES).optional(),
	cursor: z.string().max(400).optional(),
	limit: z.number().int().min(1).max(200).default(20),
});
