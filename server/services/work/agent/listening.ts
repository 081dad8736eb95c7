import { setTimeout as sleep } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { SECOND_MS } from "#server/kernel/units.ts";

/** `{since, at}`: agents could reach a web server continuously from `since` to `at`. By the database's clock, which all processes share. */
const KEY = "agents_heard";
const BEAT_EVERY_MS = 10 * SECOND_MS;
/** Two beats further apart than this mean that no server was reachable in between. */
const GAP_MS = 30 * SECOND_MS;

/** Records that a web server is ready for agents until it is aborted. Any number of servers may do so. */
export async function keepListening(db: Db, signal: AbortSignal, onError: (error: unknown) => void): Promise<void> {
	while (!signal.aborted) {
		await beat(db).catch(onError);
		await sleep(BEAT_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
	}
}

/** Records one beat. */
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
 * How long agents have been able to reach a web server without a gap, ms: 0 without a web server, infinite when none has ever recorded a
 * beat. An agent's silence counts for no longer than this.
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
