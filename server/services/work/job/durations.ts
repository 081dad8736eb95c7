import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import { throughputPrior } from "#server/rates/throughput.ts";
import { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import { medianSpeedOn } from "#server/scheduling/throughput/run-speeds.ts";
import { ThroughputBook } from "#server/scheduling/throughput/throughput-book.ts";
import type { ThroughputView } from "#server/scheduling/throughput/types.ts";
import type { DurationStat } from "#server/scheduling/types.ts";
import { readSpeeds } from "#server/services/capacity/site/pool-speed.ts";
import { readAnchor } from "#server/services/capacity/site/speed-anchor.ts";
import { type ReportedRate, reportedRates } from "../metric/rates.ts";
import { RUN_USER } from "./run-user.ts";
import { finishedJobs, type Ran, workOf } from "./run-work.ts";

/** How far back run times are learned from, and the maximum number of runs in that time. */
const LOOK_BACK_MS = 90 * DAY_MS;
const RUNS_MAX = 10_000;
/** Reported speeds are read of this many newest runs: each takes several index probes. */
const RATED_RUNS_MAX = 2_000;

type Finished = Ran & {
	id: string;
	started_ms: number | null;
	team: string;
	name: string;
	gpus: number;
	estimate_ms: number | null;
	run_user: string | null;
};

/** Statistics from finished jobs. */
export interface RunHistory {
	/** Run times as work, by name pattern, team, user and GPUs (scheduling/forecast/duration-book). */
	durations: DurationStat[];
	/** Speeds by family and accelerator (scheduling/throughput). */
	throughput: ThroughputView;
}

/** Cost: the newest RUNS_MAX finished jobs by index, and about thirty microseconds each; the caller caches the result for a minute. */
export async function readRunHistory(db: Db, nowMs: number): Promise<RunHistory> {
	const jobs = await db.execute<Finished>(
		finishedJobs({
			columns: sql`job.id, extract(epoch from a.started_at)::float8 * 1000 as started_ms, job.team, job.name, job.gpus, (job.spec->'duration'->>'estimateMs')::float8 as estimate_ms, ${RUN_USER} as run_user`,
			...{ fromMs: nowMs - LOOK_BACK_MS, toMs: nowMs, limit: RUNS_MAX },
		}),
	);
	// Oldest first: the book keeps the newest of each group.
	const runs = jobs.toReversed().map((run) => ({ run, job: traitsOf(run) }));
	const throughput: ThroughputView = {
		anchor: await readAnchor(db),
		prior: throughputPrior(),
		stats: measuredIn(runs, await reportedRates(db, jobs.slice(0, RATED_RUNS_MAX).map(sinceStart))),
	};
	const speeds = await readSpeeds(db);
	const book = new DurationBook();
	for (const { run, job } of runs) {
		// Use the speed known now, not the one expected at launch.
		const speedOf: typeof speeds.of = (placement) =>
			placement.poolId === null && placement.accelerator !== null
				? medianSpeedOn(throughput, job, placement.accelerator)
				: speeds.of(placement);
		book.add({ spec: job, durationMs: workOf(run, speedOf) });
	}
	return { durations: book.read(), throughput };
}

function traitsOf({ team, name, gpus, estimate_ms: estimateMs, run_user: user }: Finished) {
	return { team, name, nodes: 1, resources: { gpus }, duration: { estimateMs }, ...(user !== null && { user }) };
}

/** Only the last attempt counts: its accelerator is known. */
function sinceStart({ id, started_ms: startedMs }: Finished): { jobId: string; sinceMs: number } {
	return { jobId: id, sinceMs: startedMs ?? 0 };
}

/**
 * The rates that jobs reported in their last attempt, and run times of jobs finished by a single attempt from the beginning: their whole
 * run time was on one accelerator.
 */
function measuredIn(
	runs: readonly { run: Finished; job: ReturnType<typeof traitsOf> }[],
	rates: ReadonlyMap<string, ReportedRate>,
): ThroughputView["stats"] {
	const book = new ThroughputBook();
	for (const { run, job } of runs) {
		const accelerator = run.placement?.accelerator ?? null;
		const reported = rates.get(run.id);
		if (accelerator !== null && reported)
			book.add({ job, accelerator, kind: "rate", unit: reported.unit, ratePerHour: (reported.rate * HOUR_MS) / SECOND_MS });
		if (accelerator === null || run.saved_ms > 0 || run.ran_ms <= 0) continue;
		book.add({ job, accelerator, kind: "duration", ratePerHour: HOUR_MS / run.ran_ms });
	}
	return book.read();
}
