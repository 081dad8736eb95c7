import type { Connection } from "#server/db/client.ts";
import { processSeconds, secondsOf, statFields } from "./process-seconds.ts";

/** Processor seconds used so far by this database's connections and by finished helper processes. */
export async function databaseSeconds({ sql }: Connection): Promise<number> {
	const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity where datname = current_database()`;
	const parent = rows[0] && statFields(rows[0].pid)[1];
	// A query's helpers are children of the server, which accumulates the time of finished ones.
	const ofEnded = parent === undefined ? 0 : secondsOf(statFields(parent), 13, 14);
	return rows.reduce((sum, { pid }) => sum + processSeconds(pid), ofEnded);
}
