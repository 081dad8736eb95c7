import { z } from "zod";
import { ALERT_RULES, CHANNEL_KINDS } from "#server/domain/alert.ts";
import { CHANNEL_DIGESTS } from "#server/domain/channel-digest.ts";
import { instant } from "../parts.ts";

export const alertFactValuesSchema = z.record(z.string(), z.union([z.string(), z.number()]).nullable());

export const alertSchema = z
	.object({
		id: z.string(),
		rule: z.enum(ALERT_RULES),
		subject: z.string(),
		team: z.string().nullable(),
		title: z.string(),
		text: z.string(),
		facts: alertFactValuesSchema,
		openedAt: instant,
		closedAt: instant.nullable(),
		sent: z.array(
			z.object({
				channel: z.string(),
				state: z.enum(["failed", "pending", "sent"]),
			}),
		),
	})
	.meta({ id: "Alert" });

export const channelSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		kind: z.enum(CHANNEL_KINDS),
		target: z.string(),
		problem: z.string().nullable(),
		topics: z.array(z.string()),
		team: z.string().nullable(),
		pipeline: z.string().nullable(),
		digest: z.enum(CHANNEL_DIGESTS),
		enabled: z.boolean(),
		createdAt: instant,
	})
	.meta({ id: "Channel" });

export const deliverySchema = z
	.object({
		id: z.string(),
		channelId: z.string(),
		channelName: z.string(),
		channelKind: z.string(),
		about: z.string(),
		title: z.string(),
		state: z.enum(["failed", "pending", "sent"]),
		tries: z.number(),
		triesMax: z.number(),
		lastError: z.string().nullable(),
		createdAt: instant,
		sentAt: instant.nullable(),
		nextTryAt: instant.nullable(),
	})
	.meta({ id: "Delivery" });
