// Test databases that were used and emptied. Emptying costs a fraction of cloning the template, and there are hundreds
// of tests. The server keeps them across files and workers, under names that include their state.
import { randomBytes } from "node:crypto";
import postgres from "postgres";

const PREFIX = "emptied_";
/** Larger databases are dropped, because emptying them takes longer. */
const BYTES_MAX = 40_000_000;

/** Tables of our schemas. */
const TABLES =
	"pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema$)'";

/** A table's number of rows and the transactions that wrote them: reveals any change, even a reverted one. */
const rowsOf = (table: string) =>
	`(select count(*) || '/' || coalesce(sum(xmin::text::bigint), 0) || '/' || coalesce(max(xmin::text::bigint), 0) from ${table})`;
const SCHEMA = ["pg_attribute", "pg_constraint", "pg_proc", "pg_trigger", "pg_type"].map(rowsOf).join(" || ' ' || ");

/** The state of a fresh clone of the template, to check later whether a database is still in that state. */
interface Mark {
	schema: string;
	/** The rows inserted by migrations, by table. */
	seeded: Record<string, string>;
}

/** Renames an emptied database for the next test, so that earlier users cannot reach it. False if there is none. */
export async function reuseEmptiedDatabase(admin: postgres.Sql, name: string): Promise<boolean> {
	for (;;) {
		const [free] = await admin<{ datname: string }[]>`select datname from pg_database where starts_with(datname, ${PREFIX}) limit 1`;
		if (!free) return false;
		try {
			await admin.unsafe(`alter database ${free.datname} rename to ${name}`);
			return true;
		} catch (error) {
			// Another worker renamed it first.
			if (!(error instanceof postgres.PostgresError && error.code === "3D000")) throw error;
		}
	}
}

/** Call it on a fresh clone, before anything writes to it. */
export async function markClone(admin: postgres.Sql, name: string, sql: postgres.Sql): Promise<void> {
	const seeded = await sql<
		{ name: string }[]
	>`select c.oid::regclass::text as name from ${sql.unsafe(TABLES)} and pg_relation_size(c.oid) > 0`;
	const mark = await readMark(
		sql,
		seeded.map((table) => table.name),
	);
	await admin.unsafe(`comment on database ${name} is '${JSON.stringify(mark)}'`);
}

/**
 * Empties a database without connections and keeps it for the next test. Returns false when it no longer matches the
 * template; its state is then undefined and it must be dropped.
 */
export async function releaseDatabase(admin: postgres.Sql, name: string, sql: postgres.Sql): Promise<boolean> {
	const [found] = await admin<{ mark: string | null; bytes: string }[]>`
		select shobj_description(oid, 'pg_database') as mark, pg_database_size(oid)::text as bytes from pg_database where datname = ${name}`;
	if (!found?.mark || Number(found.bytes) > BYTES_MAX) return false;
	const { seeded: rows } = JSON.parse(found.mark) as Mark;
	const seeded = Object.keys(rows);
	await dropPartitions(sql);
	await deleteAddedRows(sql, rows);
	if (JSON.stringify(await readMark(sql, seeded)) !== found.mark) return false;
	if (!(await empty(sql, seeded))) return false;
	await sql.end();
	await admin.unsafe(`alter database ${name} rename to ${PREFIX}${randomBytes(6).toString("hex")}`);
	return true;
}

/** Tests that write charges create the partition of their month; the template has none. */
async function dropPartitions(sql: postgres.Sql): Promise<void> {
	const made = await sql<{ name: string }[]>`
		select i.inhrelid::regclass::text as name from pg_inherits i join pg_class p on p.oid = i.inhparent where p.relkind = 'p'`;
	if (made.length > 0) await sql.unsafe(`drop table ${made.map(({ name }) => name).join(", ")}`);
}

/** Rows that a test added to a table filled by migrations: their transactions are later than any in the recorded state. */
async function deleteAddedRows(sql: postgres.Sql, seeded: Mark["seeded"]): Promise<void> {
	const added = (table: string) => `from ${table} where xmin::text::bigint > ${Number(seeded[table]?.split("/").at(-1))}`;
	const columns = Object.keys(seeded).map((table, i) => `exists (select ${added(table)}) as t${i}`);
	const [row = {}] = await sql.unsafe<Record<string, boolean>[]>(`select ${columns.join(", ")}`);
	const changed = Object.keys(seeded).filter((_, i) => row[`t${i}`]);
	if (changed.length > 0) await deleteRows(sql, changed, added);
}

/**
 * Disable triggers and foreign keys, since every row is deleted. Vacuum, so that new rows are stored in insertion
 * order again.
 */
async function deleteRows(sql: postgres.Sql, tables: readonly string[], which = (table: string) => `from ${table}`): Promise<void> {
	const deletes = tables.map((table) => `delete ${which(table)}`);
	await sql.unsafe(`begin; set local session_replication_role = replica; ${deletes.join("; ")}; commit`);
	await sql.unsafe(`vacuum (index_cleanup on, truncate on) ${tables.join(", ")}`);
}

/** Include tables without rows, since a test may have analyzed one. Tables that were never analyzed are left alone. */
async function clearStatistics(sql: postgres.Sql): Promise<void> {
	await sql.unsafe(`select pg_clear_relation_stats(n.nspname::text, c.relname::text) from ${TABLES} and c.reltuples >= 0`);
}

async function readMark(sql: postgres.Sql, seeded: readonly string[]): Promise<Mark> {
	const columns = [`${SCHEMA} as schema`, ...seeded.map((table, i) => `${rowsOf(table)} as t${i}`)];
	const [row = {}] = await sql.unsafe<Record<string, string>[]>(`select ${columns.join(", ")}`);
	return { schema: row["schema"] ?? "", seeded: Object.fromEntries(seeded.map((table, i) => [table, row[`t${i}`] ?? ""])) };
}

/**
 * Resets rows, sequences and planner statistics. Returns whether all disk space was released, which an open session
 * can prevent.
 */
async function empty(sql: postgres.Sql, seeded: readonly string[]): Promise<boolean> {
	const written = await writtenTables(sql, seeded);
	if (written.length > 0)
		await deleteRows(
			sql,
			written.map(({ name }) => name),
		);
	await clearStatistics(sql);
	await sql`select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) from pg_sequences where last_value is not null`;
	return (await writtenTables(sql, seeded)).length === 0;
}

function writtenTables(sql: postgres.Sql, seeded: readonly string[]) {
	return sql<{ name: string }[]>`
		select c.oid::regclass::text as name from ${sql.unsafe(TABLES)} and pg_relation_size(c.oid) > 0
			and c.oid::regclass::text <> all (${[...seeded]})`;
}
