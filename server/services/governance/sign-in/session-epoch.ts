import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { customRole } from "#server/db/schema/custom-role.ts";
import type { Actor } from "#server/services/core/context.ts";
import { ITS_CUSTOM_ROLE, personOf } from "#server/services/core/custom-role.ts";

/** Ends every session of an account: sign-out applies to all devices and to copies of its cookie. */
export async function endSessions(db: DbOrTx, accountId: string): Promise<void> {
	await db
		.update(account)
		.set({ sessionEpoch: sql`${account.sessionEpoch} + 1` })
		.where(eq(account.id, accountId));
}

/** The epoch for a session that starts now; null when the account is missing or disabled. */
export async function readSessionEpoch(db: Db, accountId: string): Promise<number | null> {
	const [row] = await db
		.select({ epoch: account.sessionEpoch })
		.from(account)
		.where(and(eq(account.id, accountId), isNull(account.disabledAt)));
	return row?.epoch ?? null;
}

/**
 * Current role and teams; null when the session has ended or the account is disabled. Read on each request, so that signing out takes
 * effect immediately. Demo accounts count only in demo mode.
 */
export async function actorOfSession(db: Db, session: { accountId: string; epoch: number }, demo: boolean): Promise<Actor | null> {
	const [row] = await db
		.select({ account, custom: customRole })
		.from(account)
		.leftJoin(customRole, ITS_CUSTOM_ROLE)
		.where(
			and(
				eq(account.id, session.accountId),
				eq(account.sessionEpoch, session.epoch),
				eq(account.service, false),
				isNull(account.disabledAt),
				demo ? undefined : eq(account.demo, false),
			),
		);
	return row ? personOf(row.account, row.custom, "session") : null;
}
