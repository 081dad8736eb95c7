import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import type { DurationStat } from "#server/scheduling/types.ts";
import { readSpeeds } from "../site/pool-speed.ts";
import { RUN_USER } from "./run-user.ts";
import { finishedJobs, type Ran, workOf } from "./run-work.ts";

/** How far back run times are learnt from, and the newest runs in that time. */
const LOOK_BACK_MS = 90 * DAY_MS;
const RUNS_MAX = 10_000;

/**
 * What jobs took on a machine of speed 1: distributions of run time by name pattern, team, user and GPUs (scheduling/forecast/duration-book).
 * Cost: the newest RUNS_MAX finished jobs by index, and some twenty microseconds each; the caller keeps it for a minute.
 */
export async function durationStats(db: Db, nowMs: number): Promise<DurationStat[]> {
	const jobs = await db.execute<Ran & { team: string; name: string; gpus: number; estimate_ms: number | null; run_user: string | null }>(
		finishedJobs({
			columns: sql`job.team, job.name, job.gpus, (job.spec->'duration'->>'estimateMs')::float8 as estimate_ms, ${RUN_USER} as run_user`,
			...{ fromMs: nowMs - LOOK_BACK_MS, toMs: nowMs, limit: RUNS_MAX },
		}),
	);
	const speeds = await readSpeeds(db);
	// Oldest first: the book keeps the newest of each group.
	const book = new DurationBook();
	for (const { team, name, gpus, estimate_ms: estimateMs, run_user: user, ...ran } of jobs.toReversed()) {
		const spec = { team, name, nodes: 1, resources: { gpus }, duration: { estimateMs }, ...(user !== null && { user }) };
		book.add({ spec, durationMs: workOf(ran, speeds.of) });
	}
	return book.read();
}
