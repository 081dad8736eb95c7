import { sql } from "drizzle-orm";
import { type AnyPgColumn, boolean, check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { ALERT_RULES, CHANNEL_KINDS, DELIVERY_STATES } from "../../domain/alert.ts";
import { CHANNEL_DIGESTS } from "../../domain/channel-digest.ts";
import { WORK_EVENTS } from "../../domain/notice.ts";
import { account } from "./account.ts";
import { instant, json } from "./columns.ts";

/** A condition that needs attention; open until it no longer holds. */
export const alert = pgTable(
	"alert",
	{
		id: text().primaryKey(),
		rule: text({ enum: ALERT_RULES }).notNull(),
		/** The subject: a budget period and threshold, a team and day, an instance, or a bill's resource. */
		subject: text().notNull(),
		/** The affected team; null: all. */
		team: text(),
		facts: json<Record<string, string | number | null>>().notNull(),
		openedAt: instant().notNull(),
		closedAt: instant(),
	},
	(t) => [
		uniqueIndex("alert_open").on(t.rule, t.subject).where(sql`${t.closedAt} is null`),
		index("alert_opened").on(t.openedAt.desc().nullsFirst(), t.id.desc().nullsFirst()),
	],
);

/** Where alerts and statements are sent. */
export const channel = pgTable("channel", {
	id: text().primaryKey(),
	name: text().notNull(),
	kind: text({ enum: CHANNEL_KINDS }).notNull(),
	/** Addresses of an email channel; null otherwise. */
	recipients: text().array(),
	/** The address and key of a webhook, encrypted under SPILLWAY_SECRET: write-only. */
	secret: text(),
	/** Subscribed alert rules, and `statement`. */
	topics: text().array().notNull(),
	/** Limits it to one team; null for all. */
	team: text(),
	/** Limits its events of jobs and pipelines to pipelines and sweeps of this name; null for all. */
	pipeline: text(),
	/** Whether events are sent one by one or collected. Statements and tests are always sent immediately. */
	digest: text({ enum: CHANNEL_DIGESTS }).notNull().default("immediate"),
	enabled: boolean().notNull().default(true),
	createdAt: instant().notNull(),
	createdBy: text().notNull(),
});

/** One message to one channel or one person: the outbox, and the log of what was sent. */
export const delivery = pgTable(
	"delivery",
	{
		id: text().primaryKey(),
		/** null: a mail to the address of `accountId`. */
		channelId: text().references(() => channel.id),
		accountId: text().references(() => account.id),
		/** The subject: `alert:<id>`, `statement:<id>`, `work:<id of the job or pipeline>:<event>`, or `digest:<id>`. */
		about: text().notNull(),
		message: json<{ title: string; text: string; facts: Record<string, string | number | null>; link: string }>().notNull(),
		state: text({ enum: DELIVERY_STATES }).notNull().default("pending"),
		tries: integer().notNull().default(0),
		nextTryAt: instant().notNull(),
		lastError: text(),
		createdAt: instant().notNull(),
		sentAt: instant(),
		/** When a digest collects it; null: it is sent alone. */
		digestAt: instant(),
		/** The delivery of the digest that contains it; null while it waits. It then has the same result. */
		digestId: text().references((): AnyPgColumn => delivery.id),
	},
	(t) => [
		uniqueIndex("delivery_once").on(t.channelId, t.about),
		index("delivery_pending").on(t.nextTryAt).where(sql`${t.state} = 'pending'`),
		index("delivery_digest").on(t.digestId).where(sql`${t.digestId} is not null`),
		index("delivery_created").on(t.createdAt.desc().nullsFirst()),
		index("delivery_account").on(t.accountId, t.createdAt.desc().nullsFirst()).where(sql`${t.accountId} is not null`),
		check("delivery_one_receiver", sql`(${t.channelId} is null) <> (${t.accountId} is null)`),
	],
);

/** An event of a person's job or pipeline, kept before and after it is mailed. Deleted some months after it was sent. */
export const notice = pgTable(
	"notice",
	{
		id: text().primaryKey(),
		accountId: text()
			.notNull()
			.references(() => account.id),
		/** As in `delivery`: an event notifies a person once. */
		about: text().notNull(),
		event: text({ enum: WORK_EVENTS }).notNull(),
		title: text().notNull(),
		text: text().notNull(),
		/** Path of the page. */
		link: text().notNull(),
		createdAt: instant().notNull(),
		/** The mail that includes it; null while waiting. */
		deliveryId: text().references(() => delivery.id),
	},
	(t) => [
		uniqueIndex("notice_once").on(t.accountId, t.about),
		index("notice_waiting").on(t.accountId, t.createdAt).where(sql`${t.deliveryId} is null`),
		index("notice_created").on(t.createdAt),
	],
);
