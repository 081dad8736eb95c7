import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

/** The result of a read, kept until the version of what it reads changes. */
export class KeptRead<T> {
	#last: { version: string | null; value: T } | null = null;

	async at(version: string | null, read: () => Promise<T>): Promise<T> {
		if (this.#last?.version !== version) this.#last = { version, value: await read() };
		return this.#last.value;
	}
}

/** A text that differs after any write to these rows; null without rows. A row's transaction and position identify its version. */
export function versionOf(table: PgTable, where: SQL = sql`true`): SQL<string | null> {
	return sql`(select md5(string_agg(concat(${table}.xmin, ${table}.ctid), ' ')) from ${table} where ${where})`;
}
