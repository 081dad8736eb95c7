import { and, asc, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { readSpeeds, type SpeedOf } from "#server/services/capacity/site/pool-speed.ts";
import { RUN_USER, withUser } from "#server/services/work/job/run-user.ts";
import type { HistoryJob, RecordedWork } from "#server/simulation/backtest/history.ts";

const BATCH = 5_000;
const GIB = 2 ** 30;

interface Span {
	fromMs: number;
	toMs: number;
}

/**
 * Jobs that were submitted during the range, or were waiting or running at its start, with their actual run times. `onBatch`: number read
 * so far. Cost: their rows, in batches, and three index lookups for each.
 */
export async function loadJobs(db: Db, span: Span, onBatch: (read: number) => void): Promise<HistoryJob[]> {
	const intern = internSpecs();
	const jobs: HistoryJob[] = [];
	const speeds = await readSpeeds(db);
	let after = "";
	for (;;) {
		const rows = await readBatch(db, span, after);
		for (const row of rows) jobs.push(toJob(row, span, { intern, speedOf: speeds.of }));
		onBatch(jobs.length);
		const last = rows.at(-1);
		if (!last || rows.length < BATCH) return jobs;
		after = last.id;
	}
}

type Row = Awaited<ReturnType<typeof readBatch>>[number];

function readBatch(db: Db, { fromMs, toMs }: Span, after: string) {
	const [from, to] = [new Date(fromMs), new Date(toMs)];
	const last = db
		.select({ id: attempt.id, startedAt: attempt.startedAt, finishedAt: attempt.finishedAt, placement: attempt.placement })
		.from(attempt)
		.where(and(eq(attempt.jobId, job.id), sql`${attempt.startedAt} is not null`))
		.orderBy(sql`${attempt.number} desc`)
		.limit(1)
		.as("last");
	const saved = (where: ReturnType<typeof sql>) =>
		sql<string>`(select coalesce(max(c.completed_ms), 0) from checkpoint c where c.job_id = ${job.id} and ${where})`;
	return db
		.select({
			id: job.id,
			spec: job.spec,
			user: RUN_USER,
			state: job.state,
			submittedAt: job.submittedAt,
			finishedAt: job.finishedAt,
			approvedMicroUsd: job.approvedMicroUsd,
			lastStartedAt: last.startedAt,
			lastFinishedAt: last.finishedAt,
			placement: last.placement,
			/** Progress saved by earlier attempts, and up to the start of the range. */
			earlierMs: saved(sql`c.attempt_id <> ${last.id}`),
			savedBeforeMs: saved(sql`c.created_at < ${from.toISOString()}::timestamptz`),
			bytes: sql<string>`(select coalesce(sum(c.bytes), 0) from checkpoint c where c.job_id = ${job.id})`,
		})
		.from(job)
		.leftJoinLateral(last, sql`true`)
		.where(and(gt(job.id, after), lt(job.submittedAt, to), or(gt(job.submittedAt, from), gt(job.finishedAt, from), isNull(job.finishedAt))))
		.orderBy(asc(job.id))
		.limit(BATCH);
}

function toJob(row: Row, span: Span, { intern, speedOf }: { intern: (spec: JobSpec) => JobSpec; speedOf: SpeedOf }): HistoryJob {
	const withdrawn = row.state === "cancelled" && row.lastStartedAt === null;
	return {
		id: row.id,
		spec: intern(withUser(row.spec, row.user)),
		submittedAtMs: row.submittedAt.getTime(),
		approvedMicroUsd: row.approvedMicroUsd,
		work: workOf(row, span, row.placement ? speedOf(row.placement) : 1),
		withdrawnAtMs: withdrawn ? (row.finishedAt?.getTime() ?? null) : null,
		dataOutGiB: Number(row.bytes) / GIB,
	};
}

/** Progress saved by earlier attempts, plus the whole last attempt at the speed of its placement. */
function workOf(row: Row, { fromMs, toMs }: Span, speed: number): RecordedWork {
	const startedMs = row.lastStartedAt?.getTime() ?? null;
	if (startedMs === null || startedMs >= toMs) return { kind: "unknown" };
	const over = row.finishedAt !== null && row.lastFinishedAt !== null;
	const endMs = over ? (row.lastFinishedAt?.getTime() ?? toMs) : Math.min(row.lastFinishedAt?.getTime() ?? toMs, toMs);
	const earlierMs = Number(row.earlierMs);
	const beforeMs = startedMs < fromMs ? earlierMs + Math.max(0, Math.min(endMs, fromMs) - startedMs) * speed : Number(row.savedBeforeMs);
	return { kind: over ? "recorded" : "so_far", ms: earlierMs + Math.max(0, endMs - startedMs) * speed, beforeMs };
}

/** Specs that no rule can distinguish share one object, since no rule reads the command or the variables. */
function internSpecs(): (spec: JobSpec) => JobSpec {
	const known = new Map<string, JobSpec>();
	return (given) => {
		const spec: JobSpec = { ...given, command: [], env: {} };
		const key = JSON.stringify(spec);
		const same = known.get(key);
		if (same) return same;
		known.set(key, spec);
		return spec;
	};
}
