import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import type { Actor } from "#server/services/context.ts";

const CACHE_MS = 5_000;
const cache = new Map<string, { actor: Actor | null; readAtMs: number }>();

/**
 * Role and teams as they are now, not as they were at sign-in; null when the account is gone or disabled. A demo account,
 * whose password everybody knows, is nobody outside of demo mode, whatever session was made before.
 */
export async function actorOfAccount(db: Db, accountId: string, at: { nowMs: number; demo: boolean }): Promise<Actor | null> {
	const { nowMs } = at;
	const known = cache.get(accountId);
	if (known && nowMs - known.readAtMs < CACHE_MS) return known.actor;
	const [row] = await db
		.select()
		.from(account)
		.where(and(eq(account.id, accountId), isNull(account.disabledAt), at.demo ? undefined : eq(account.demo, false)));
	const actor: Actor | null = row
		? { kind: "person", accountId: row.id, name: row.name, role: row.role, teams: row.teams, via: "session" }
		: null;
	if (cache.size > 1_000) cache.clear();
	cache.set(accountId, { actor, readAtMs: nowMs });
	return actor;
}

export async function accountByEmail(db: Db, email: string): Promise<typeof account.$inferSelect | null> {
	const [row] = await db
		.select()
		.from(account)
		.where(and(sql`lower(${account.email}) = ${email.toLowerCase()}`, isNull(account.disabledAt)));
	return row ?? null;
}
