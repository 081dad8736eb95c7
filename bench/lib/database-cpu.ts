import { readFileSync } from "node:fs";
import type { Connection } from "#server/db/client.ts";

/** From /proc/<pid>/stat, on Linux. */
const TICKS_PER_SECOND = 100;

/** Processor seconds used so far by this database's connections and by finished helper processes. */
export async function databaseSeconds({ sql }: Connection): Promise<number> {
	const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity where datname = current_database()`;
	const own = rows.map(({ pid }) => statOf(pid));
	// A query's helpers are children of the server, which accumulates the time of finished ones.
	const server = own[0] === undefined ? 0 : statOf(own[0].parent).ofEnded;
	return own.reduce((sum, { seconds }) => sum + seconds, server);
}

function statOf(pid: number): { parent: number; seconds: number; ofEnded: number } {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
		.replace(/^.*\) /, "")
		.split(" ");
	const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((i) => Number(fields[i] ?? 0));
	const seconds = (ticks: (number | undefined)[]) => ticks.reduce((sum: number, n) => sum + (n ?? 0), 0) / TICKS_PER_SECOND;
	return { parent: parent ?? 0, seconds: seconds([user, system]), ofEnded: seconds([endedUser, endedSystem]) };
}
