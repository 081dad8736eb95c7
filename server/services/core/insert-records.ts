import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";

/** Limits the text of one statement: a charge is about one kilobyte. */
const STATEMENT_ROWS = 1_000;
const columnNames = new Map<string, string>();

/**
 * Inserts rows that the database reads from one JSON text; fields are named as in the schema. A statement with one parameter per value
 * takes ten times as long to build, which would dominate the metering of thousands of instances.
 * @param conflict SQL after the rows, e.g. `on conflict (…) do update set …`, never from input.
 * @returns the rows of `returning …`, when `conflict` ends with it.
 */
export async function insertRecords(tx: Tx, table: string, rows: readonly object[], conflict = ""): Promise<Record<string, unknown>[]> {
	const returned: Record<string, unknown>[] = [];
	for (let at = 0; at < rows.length; at += STATEMENT_ROWS) {
		returned.push(...(await tx.execute<Record<string, unknown>>(statement(table, rows.slice(at, at + STATEMENT_ROWS), conflict))));
	}
	return returned;
}

function statement(table: string, rows: readonly object[], conflict: string): SQL {
	const fields = Object.keys(rows[0] ?? {});
	const columns = fields.map(columnOf).join(", ");
	const records = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [columnOf(name), value])));
	const text = JSON.stringify(records, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
	return sql`insert into ${sql.raw(`${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, `)}${text}::json) ${sql.raw(conflict)}`;
}

/** `gpuMs` is the column `gpu_ms`. */
export function columnOf(field: string): string {
	const known = columnNames.get(field);
	if (known !== undefined) return known;
	const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	columnNames.set(field, name);
	return name;
}
