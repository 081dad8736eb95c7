import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { evaluateAlerts } from "#server/services/alert/evaluate.ts";
import { readBudgetSettings } from "#server/services/budget/settings.ts";
import { systemContext } from "#server/services/context.ts";
import { sendDue } from "#server/services/delivery/send-due.ts";
import type { Timing } from "#server/services/timing.ts";

/** How messages leave the installation. */
export interface NoticeSettings {
	secret: string;
	smtpUrl: string | null;
	mailFrom: string;
	publicUrl: string;
}

interface NoticeContext {
	db: Db;
	clock: Clock;
	timing: Timing;
}

export async function lookForAlerts({ db, clock }: NoticeContext): Promise<void> {
	await evaluateAlerts(systemContext(db, clock));
}

/** Sends until nothing is due. */
export async function emptyOutbox(ctx: NoticeContext, settings: NoticeSettings): Promise<void> {
	const { allowLinkLocal } = await readBudgetSettings(ctx.db);
	const sender = { db: ctx.db, clock: ctx.clock, timing: ctx.timing, ...settings, allowLinkLocal, random: Math.random };
	while ((await sendDue(sender)) > 0);
}
