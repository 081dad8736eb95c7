import { and, asc, eq, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { delivery, notice } from "#server/db/schema/alert.ts";
import { digestOf } from "#server/domain/notice.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { collectChannels } from "./collect-channels.ts";

/** An arbitrary constant: allows one collection at a time. */
const COLLECTION_LOCK = 727_022;
/** Notices are kept this long to check that an event notifies only once. */
const KEPT_MS = 90 * DAY_MS;

/**
 * Puts one mail into the outbox for each person with a waiting notice as old as the digest: however many events there
 * were, a person gets one mail in that time. The mail and the mark on its notices are one transaction, so that a crash neither loses
 * nor repeats an event. Digests of channels are collected in the same way.
 * @param publicUrl address of the installation, for links
 * @returns the number of mails, and of channels with a digest
 */
export async function collectNotices({ db, clock }: { db: Db; clock: Clock }, publicUrl: string): Promise<number> {
	const nowMs = clock.nowMs();
	return db.transaction(async (tx) => {
		await tx.execute(sql`select pg_advisory_xact_lock(${COLLECTION_LOCK})`);
		const due = await findDue(tx, nowMs);
		for (const accountId of due) await collectOf(tx, accountId, { publicUrl, nowMs });
		if (due.length > 0) await tx.delete(notice).where(and(isNotNull(notice.deliveryId), lt(notice.createdAt, new Date(nowMs - KEPT_MS))));
		return due.length + (await collectChannels(tx, { publicUrl, nowMs }));
	});
}

async function findDue(tx: Tx, nowMs: number): Promise<string[]> {
	const rows = await tx
		.select({ id: account.id })
		.from(account)
		.where(
			sql`exists (select 1 from notice n where n.account_id = ${account.id} and n.delivery_id is null
				and n.created_at <= ${new Date(nowMs).toISOString()}::timestamptz - ${account.digestMinutes} * interval '1 minute')`,
		)
		.orderBy(account.id);
	return rows.map(({ id }) => id);
}

async function collectOf(tx: Tx, accountId: string, { publicUrl, nowMs }: { publicUrl: string; nowMs: number }): Promise<void> {
	const waiting = await tx
		.select()
		.from(notice)
		.where(and(eq(notice.accountId, accountId), isNull(notice.deliveryId)))
		.orderBy(asc(notice.createdAt), asc(notice.id));
	const { title, text, link } = digestOf(waiting, (path) => `${publicUrl}${path}`);
	const id = newId("dlv", nowMs);
	const at = new Date(nowMs);
	await tx.insert(delivery).values({
		...{ id, accountId, about: `digest:${id}`, createdAt: at, nextTryAt: at },
		message: { title, text, link, facts: { events: waiting.length } },
	});
	const ids = waiting.map((row) => row.id);
	await tx.update(notice).set({ deliveryId: id }).where(inArray(notice.id, ids));
}
