import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { statement, statementSignature } from "#server/db/schema/statement.ts";
import type { StatementContent } from "#server/domain/statement.ts";
import type { Role } from "#server/domain/vocabulary.ts";

export type StoredStatement = typeof statement.$inferSelect;
export type NewestSums = Pick<StoredStatement, "id" | "team" | "closedBy"> & Pick<StatementContent, "charges" | "totals">;

export interface SignatureView {
	accountId: string;
	name: string;
	role: Role;
	signedAt: Date;
	/** Whether the signer also closed the version. Shown because no second person reviewed it. */
	closedItToo: boolean;
}

/** Every version of a statement, newest first. */
export async function versionsOf(db: DbOrTx, month: string, team: string): Promise<StoredStatement[]> {
	return db
		.select()
		.from(statement)
		.where(and(eq(statement.month, month), eq(statement.team, team)))
		.orderBy(desc(statement.version));
}

/** The newest version of each team's statement of a month. */
export async function newestOf(db: DbOrTx, month: string): Promise<Map<string, StoredStatement>> {
	const rows = await db
		.selectDistinctOn([statement.team])
		.from(statement)
		.where(eq(statement.month, month))
		.orderBy(asc(statement.team), desc(statement.version));
	return new Map(rows.map((r) => [r.team, r]));
}

/** Reads only the sums of a month's newest versions. */
export async function newestSums(db: DbOrTx, month: string): Promise<Map<string, NewestSums>> {
	const rows = await db
		.selectDistinctOn([statement.team], {
			id: statement.id,
			team: statement.team,
			closedBy: statement.closedBy,
			charges: sql`${statement.content}->'charges'`.mapWith(Number),
			totals: sql<StatementContent["totals"]>`${statement.content}->'totals'`,
		})
		.from(statement)
		.where(eq(statement.month, month))
		.orderBy(asc(statement.team), desc(statement.version));
	return new Map(rows.map((r) => [r.team, r]));
}

export async function signaturesOf(
	db: DbOrTx,
	statements: readonly Pick<StoredStatement, "id" | "closedBy">[],
): Promise<Map<string, SignatureView[]>> {
	if (statements.length === 0) return new Map();
	const closers = new Map(statements.map((s) => [s.id, s.closedBy]));
	const rows = await db
		.select()
		.from(statementSignature)
		.where(inArray(statementSignature.statementId, [...closers.keys()]))
		.orderBy(asc(statementSignature.signedAt));
	const views = new Map<string, SignatureView[]>();
	for (const { statementId, accountId, name, role, signedAt } of rows) {
		const view = { accountId, name, role: role as Role, signedAt, closedItToo: closers.get(statementId) === `account:${accountId}` };
		views.set(statementId, [...(views.get(statementId) ?? []), view]);
	}
	return views;
}

/** Names of actors as the audit log writes them (`account:usr_…`). A close by the scheduler is attributed to Spillway. */
export async function namesOf(db: DbOrTx, actors: readonly string[]): Promise<Map<string, string>> {
	const ids = actors.flatMap((a) => (a.startsWith("account:") ? [a.slice("account:".length)] : []));
	const rows =
		ids.length === 0 ? [] : await db.select({ id: account.id, name: account.name }).from(account).where(inArray(account.id, ids));
	const names = new Map(rows.map((r) => [`account:${r.id}`, r.name]));
	return new Map(actors.map((a) => [a, names.get(a) ?? (a.startsWith("system:") ? "Spillway, on the day set" : a)]));
}
