import { desc, eq } from "drizzle-orm";
import type { z } from "zod";
import { setNotificationsInput } from "#server/contract/inputs/notification.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { delivery } from "#server/db/schema/alert.ts";
import type { DELIVERY_STATES } from "#server/domain/alert.ts";
import type { WorkEvent } from "#server/domain/notice.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

export interface NotificationsView {
	email: string;
	events: WorkEvent[];
	digestMinutes: number;
	lastMail: { title: string; state: (typeof DELIVERY_STATES)[number]; at: string; error: string | null } | null;
}

/**
 * What the caller is notified about by mail.
 * @throws SpillwayError `forbidden`; `conflict` for a service account, which has no mailbox
 */
export async function getNotifications(ctx: ServiceContext): Promise<NotificationsView> {
	authorize(ctx, "notification:manage", null);
	return viewOf(ctx.db, await ownAccount(ctx, ctx.db));
}

/**
 * Updates the caller's mail notifications; omitted fields keep their values.
 * @throws SpillwayError `forbidden`, `conflict` as above; ZodError
 */
export async function setNotifications(ctx: ServiceContext, raw: z.input<typeof setNotificationsInput>): Promise<NotificationsView> {
	authorize(ctx, "notification:manage", null);
	const input = setNotificationsInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const row = await ownAccount(ctx, tx);
		const before = { notifyEvents: row.notifyEvents, digestMinutes: row.digestMinutes };
		const after = { notifyEvents: input.events ?? before.notifyEvents, digestMinutes: input.digestMinutes ?? before.digestMinutes };
		await tx.update(account).set(after).where(eq(account.id, row.id));
		await writeAudit(tx, ctx, { action: "account.notifications", subject: `account:${row.id}`, before, after });
		return viewOf(tx, { ...row, ...after });
	});
}

type Row = typeof account.$inferSelect;

async function ownAccount({ actor }: ServiceContext, db: DbOrTx): Promise<Row> {
	if (actor.kind !== "person") throw new SpillwayError("forbidden", "Only people are notified by mail.");
	const [row] = await db.select().from(account).where(eq(account.id, actor.accountId));
	if (!row) throw new SpillwayError("not_found", "Your account does not exist any more. Sign in again.");
	if (row.service)
		throw new SpillwayError("conflict", "A service account has no mailbox.", {
			fix: "Use a channel for its team: Budgets > Alerts > Add channel.",
		});
	return row;
}

async function viewOf(db: DbOrTx, row: Row): Promise<NotificationsView> {
	const [last] = await db.select().from(delivery).where(eq(delivery.accountId, row.id)).orderBy(desc(delivery.createdAt)).limit(1);
	return {
		...{ email: row.email, events: row.notifyEvents, digestMinutes: row.digestMinutes },
		lastMail: last
			? { title: last.message.title, state: last.state, at: (last.sentAt ?? last.createdAt).toISOString(), error: last.lastError }
			: null,
	};
}
