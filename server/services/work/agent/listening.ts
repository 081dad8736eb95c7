import { setTimeout as sleep } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { SECOND_MS } from "#server/kernel/units.ts";

/** `{since, at}`: agents could reach a web server from then on, and could at that time. By the database's clock, which all share. */
const KEY = "agents_heard";
const BEAT_EVERY_MS = 10 * SECOND_MS;
/** Between two beats that lie further apart, no one was there to hear an agent. */
const GAP_MS = 30 * SECOND_MS;

/** Records, until it is aborted, that a web server is ready for agents. Any number of servers may. */
export async function keepListening(db: Db, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
	while (!signal.aborted) {
		await beat(db).catch(onError);
		await sleep(BEAT_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
	}
}

/** One word of it. */
export async function beat(db: Db): Promise<void> {
	const now = sql`to_jsonb(clock_timestamp())`;
	const goesOn = sql`(${setting.value}->>'at')::timestamptz > clock_timestamp() - ${GAP_MS} * interval '1 ms'`;
	const since = sql`case when ${goesOn} then ${setting.value}->'since' else ${now} end`;
	await db
		.insert(setting)
		.values({ key: KEY, value: sql`jsonb_build_object('since', ${now}, 'at', ${now})` })
		.onConflictDoUpdate({ target: setting.key, set: { value: sql`jsonb_build_object('since', ${since}, 'at', ${now})` } });
}

/**
 * For how long without a gap agents could have been heard until now, ms: 0 while no web server is there, endless where none has ever
 * said so. An agent is silent for no longer than this.
 */
export async function listenedMs(db: Db): Promise<number> {
	const ageOf = (field: string) => sql<string>`extract(epoch from clock_timestamp() - (${setting.value}->>${field})::timestamptz) * 1000`;
	const [row] = await db
		.select({ sinceMs: ageOf("since"), atMs: ageOf("at") })
		.from(setting)
		.where(eq(setting.key, KEY));
	if (!row) return Number.POSITIVE_INFINITY;
	return Number(row.atMs) > GAP_MS ? 0 : Math.max(0, Number(row.sinceMs));
}
