import type { MigrationMeta } from "drizzle-orm/migrator";
import type postgres from "postgres";
import { SpillwayError } from "#server/kernel/errors.ts";

/** A migration starting with this line only adds to the schema: programs without it can keep running next to newer ones. */
const EXPANDS = "-- expands: earlier programs run on this schema";
const SETTING = "schema.compatible_since";

/**
 * Records the oldest migration that programs need to use the database: the latest non-additive one. Call it after
 * migrating. A call from an older program changes nothing.
 */
export async function recordCompatibility(sql: postgres.Sql, migrations: readonly MigrationMeta[]): Promise<void> {
	const { newest } = await readJournal(sql);
	if (newest > newestOf(migrations)) return;
	const since = Math.max(0, ...migrations.filter((m) => !m.sql[0]?.trimStart().startsWith(EXPANDS)).map((m) => m.folderMillis));
	await sql`insert into setting (key, value) values (${SETTING}, ${String(since)}::jsonb)
		on conflict (key) do update set value = excluded.value`;
}

/**
 * Checks that a program with these migrations may run on the database.
 * @throws SpillwayError `precondition_failed` when the database lacks migrations, or has newer non-additive ones
 */
export async function requireKnownSchema(sql: postgres.Sql, migrations: readonly MigrationMeta[]): Promise<void> {
	const { newest, count } = await readJournal(sql);
	const known = newestOf(migrations);
	if (newest < known) {
		const missing = migrations.filter((m) => m.folderMillis > newest).length;
		throw new SpillwayError("precondition_failed", `The database lacks ${missing} of this version's ${migrations.length} migrations.`, {
			fix: "Run node server/bin/migrate.ts, or npm start, which does it first.",
		});
	}
	if (newest === known) return;
	const [row] = await sql<{ since: string }[]>`select value #>> '{}' as since from setting where key = ${SETTING}`;
	if (row && Number(row.since) <= known) return;
	throw new SpillwayError(
		"precondition_failed",
		`The database was updated by a newer version of Spillway: it has ${count} migrations, and this version knows ${migrations.length}.`,
		{ fix: "Start the newer version. To go back, restore the backup from before the upgrade." },
	);
}

async function readJournal(sql: postgres.Sql): Promise<{ newest: number; count: number }> {
	const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
	if (table?.["exists"] !== true) return { newest: 0, count: 0 };
	const [row] = await sql<{ newest: string; count: number }[]>`
		select coalesce(max(created_at), 0)::text as newest, count(*)::int as count from drizzle.__drizzle_migrations`;
	return { newest: Number(row?.newest ?? 0), count: row?.count ?? 0 };
}

function newestOf(migrations: readonly MigrationMeta[]): number {
	return Math.max(0, ...migrations.map((m) => m.folderMillis));
}
