import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { OutgoingAllowance } from "#server/kernel/outgoing.ts";
import { systemContext } from "#server/services/core/context.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { sendDue } from "#server/services/notification/delivery/send-due.ts";
import { collectNotices } from "#server/services/notification/notice/collect.ts";
import { evaluateAlerts } from "#server/services/overview/alert/evaluate.ts";
import { recordOverForecast } from "#server/services/work/notice/over-forecast.ts";

/** How messages leave the installation. */
export interface NoticeSettings {
	secret: string;
	smtpUrl: string | null;
	mailFrom: string;
	publicUrl: string;
	/** Hosts inside the network that webhooks may go to. */
	allowance: OutgoingAllowance;
}

interface NoticeContext {
	db: Db;
	clock: Clock;
	timing: Timing;
}

export async function lookForAlerts({ db, clock }: NoticeContext): Promise<void> {
	await evaluateAlerts(systemContext(db, clock));
	await recordOverForecast(db, clock.nowMs());
}

/** Collects the mails to people about their work, and sends until nothing is due. */
export async function emptyOutbox(ctx: NoticeContext, settings: NoticeSettings): Promise<void> {
	await collectNotices(ctx, settings.publicUrl);
	const sender = { db: ctx.db, clock: ctx.clock, timing: ctx.timing, ...settings, random: Math.random };
	while ((await sendDue(sender)) > 0);
}
