import { readFileSync } from "node:fs";
import type { Connection } from "#server/db/client.ts";

/** Of /proc/<pid>/stat, on Linux. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor that this database's connections took so far, with those of helpers that have ended. */
export async function databaseSeconds({ sql }: Connection): Promise<number> {
	const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity where datname = current_database()`;
	const own = rows.map(({ pid }) => statOf(pid));
	// Helpers of a query are children of the server, which keeps the time of those that have ended.
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
