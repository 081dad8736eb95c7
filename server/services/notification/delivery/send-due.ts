import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { account } from "#server/db/schema/account.ts";
import { channel, delivery } from "#server/db/schema/alert.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { OutgoingAllowance } from "#server/kernel/outgoing.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { secretOf } from "../channel/internal.ts";
import { CLOUDEVENT_TYPE, cloudEventBody, type Outgoing, slackBody, webhookBody } from "./payload.ts";
import { nextTryMs } from "./retry.ts";
import { sendMail } from "./send-mail.ts";
import { sendWebhook } from "./send-webhook.ts";
import { DELIVERY_HEADER, SIGNATURE_HEADER, signBody } from "./signature.ts";
import { teamsBody } from "./teams-card.ts";

export interface SenderContext {
	db: Db;
	clock: Clock;
	timing: Pick<Timing, "deliverTimeoutMs" | "deliverRetryMs" | "deliverRetryMaxMs">;
	/** SPILLWAY_SECRET, under which addresses are stored. */
	secret: string;
	smtpUrl: string | null;
	mailFrom: string;
	/** Address of this installation, for links. */
	publicUrl: string;
	allowance: OutgoingAllowance;
	/** In [0, 1): spreads retries. */
	random: () => number;
	/** For tests with a private certificate authority. */
	ca?: string;
}

/** Concurrent messages. */
const BATCH = 20;
/** A claim is exclusive for this many time limits: its sender has certainly ended by then. */
const CLAIM_TIMEOUTS = 4;

/** A message with its channel, or with the account it is mailed to. */
type Claimed = typeof delivery.$inferSelect & {
	channel: typeof channel.$inferSelect | null;
	account: Pick<typeof account.$inferSelect, "email" | "disabledAt"> | null;
};

/**
 * Sends due messages of the outbox and records the result. Two senders never take the same message: a claim skips rows locked
 * by another sender and postpones its own before anything is sent. If a sender fails between sending and recording, the message
 * is sent again: at least once, always with the same id. Returns the number of messages tried.
 */
export async function sendDue(ctx: SenderContext): Promise<number> {
	const claimed = await claim(ctx);
	await Promise.all(claimed.map((row) => sendOne(ctx, row)));
	if (claimed.length > 0) await notify(ctx.db, { changes: [{ topic: "alert", id: null, team: null }] });
	return claimed.length;
}

async function claim({ db, clock, timing }: SenderContext): Promise<Claimed[]> {
	const nowMs = clock.nowMs();
	return db.transaction(async (tx) => {
		const due = await tx
			.select({ delivery, channel, account: { email: account.email, disabledAt: account.disabledAt } })
			.from(delivery)
			.leftJoin(channel, eq(channel.id, delivery.channelId))
			.leftJoin(account, eq(account.id, delivery.accountId))
			.where(
				sql`${delivery.state} = 'pending' and ${delivery.digestAt} is null and ${delivery.nextTryAt} <= ${new Date(nowMs).toISOString()}::timestamptz`,
			)
			.orderBy(delivery.nextTryAt)
			.limit(BATCH)
			.for("update", { of: delivery, skipLocked: true });
		if (due.length === 0) return [];
		await tx
			.update(delivery)
			.set({ tries: sql`${delivery.tries} + 1`, nextTryAt: new Date(nowMs + CLAIM_TIMEOUTS * timing.deliverTimeoutMs) })
			.where(
				inArray(
					delivery.id,
					due.map((d) => d.delivery.id),
				),
			);
		return due.map((d) => ({ ...d.delivery, tries: d.delivery.tries + 1, channel: d.channel, account: d.account }));
	});
}

async function sendOne(ctx: SenderContext, row: Claimed): Promise<void> {
	let failure: string | null = null;
	try {
		await transmit(ctx, row);
	} catch (error) {
		failure = error instanceof Error ? error.message : String(error);
	}
	const nowMs = ctx.clock.nowMs();
	const next = failure === null || !isOn(row) ? null : nextTryMs(row.tries, nowMs, ctx.random(), ctx.timing);
	const outcome =
		failure === null
			? { state: "sent" as const, sentAt: new Date(nowMs), lastError: null }
			: next === null
				? { state: "failed" as const, lastError: failure }
				: { nextTryAt: new Date(next), lastError: failure };
	// The number of the try is the claim's token: a later claim takes precedence.
	// The events of a digest share its result.
	await ctx.db
		.update(delivery)
		.set(outcome)
		.where(and(eq(delivery.state, "pending"), or(and(eq(delivery.id, row.id), eq(delivery.tries, row.tries)), isEventOf(row))));
}

/** Whether a delivery is an event in this digest, as long as the claim is the latest. */
function isEventOf({ id, tries }: Claimed): SQL {
	return sql`(${delivery.digestId} = ${id} and exists (select 1 from delivery d where d.id = ${id} and d.state = 'pending' and d.tries = ${tries}))`;
}

function isOn({ channel: to, account: person }: Claimed): boolean {
	return to ? to.enabled : person !== null && person.disabledAt === null;
}

const BODIES = { slack: slackBody, teams: teamsBody, webhook: webhookBody, cloudevents: cloudEventBody };

async function transmit(ctx: SenderContext, row: Claimed): Promise<void> {
	const { channel: to, account: person } = row;
	if (!isOn(row)) throw new Error(`The ${to ? "channel" : "account"} was disabled before this was sent.`);
	const { id, about, message, createdAt } = row;
	const source = ctx.publicUrl;
	const outgoing: Outgoing = { id, about, message, createdAtMs: createdAt.getTime(), source, url: `${source}${message.link}` };
	const timeoutMs = ctx.timing.deliverTimeoutMs;
	if (to === null || to.kind === "email") {
		const recipients = to === null ? (person ? [person.email] : []) : (to.recipients ?? []);
		await sendMail({ smtpUrl: ctx.smtpUrl, from: ctx.mailFrom, timeoutMs }, recipients, outgoing);
		return;
	}
	const { url: address, signingKey } = secretOf(ctx.secret, to);
	const body = BODIES[to.kind](outgoing);
	const signature = signingKey === null ? {} : { [SIGNATURE_HEADER]: signBody(signingKey, body, ctx.clock.nowMs()) };
	await sendWebhook({
		...{ url: address, body, timeoutMs, allowance: ctx.allowance },
		headers: { [DELIVERY_HEADER]: row.id, ...signature, ...(to.kind === "cloudevents" && { "content-type": CLOUDEVENT_TYPE }) },
		...(ctx.ca === undefined ? {} : { ca: ctx.ca }),
	});
}
