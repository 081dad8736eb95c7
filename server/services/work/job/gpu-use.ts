import { asc, eq, sql } from "drizzle-orm";
import { gpuMinute } from "#server/db/schema/gpu-minute.ts";
import { instance } from "#server/db/schema/instance.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableJob } from "../readable-job.ts";

/** Maximum number of intervals for a job's whole life: a week has intervals of 42 minutes. */
const STRETCHES_MAX = 240;

export interface GpuStretch {
	/** Start of the interval, which lasts `stepMs`. */
	atMs: number;
	/** Mean over the attempt's GPUs and the measured minutes, 0 to 100. */
	utilisationPercent: number;
	/** Sum over the GPUs of all its machines; null where a driver does not report it. */
	powerWatts: number | null;
}

export interface AttemptGpuUse {
	attemptId: string;
	/** Measured intervals only; a missing interval is a gap. */
	stretches: GpuStretch[];
	/** Measured machine-minutes, over all its machines. */
	measuredMinutes: number;
}

export interface JobGpuUse {
	stepMs: number;
	/** Attempts on machines with measurements, in order. */
	attempts: AttemptGpuUse[];
}

/**
 * GPU usage of a job's cloud machines, minute by minute, as measured by their agents with `nvidia-smi`. Slots at home, and machines without
 * NVIDIA's driver, have no measurements and are not included.
 * @throws SpillwayError `not_found`, also for another team's job.
 */
export async function readJobGpuUse(ctx: ServiceContext, jobId: string): Promise<JobGpuUse> {
	await readableJob(ctx, jobId);
	const ofJob = eq(instance.jobId, jobId);
	const epochMs = (what: ReturnType<typeof sql>) => sql<string | null>`extract(epoch from ${what}) * 1000`;
	const [span] = await ctx.db
		.select({ fromMs: epochMs(sql`min(${gpuMinute.minute})`), toMs: epochMs(sql`max(${gpuMinute.minute})`) })
		.from(gpuMinute)
		.innerJoin(instance, eq(instance.id, gpuMinute.instanceId))
		.where(ofJob);
	if (!span || span.fromMs === null || span.toMs === null) return { stepMs: MINUTE_MS, attempts: [] };
	const minutes = (Number(span.toMs) - Number(span.fromMs)) / MINUTE_MS + 1;
	const stepMs = Math.ceil(minutes / STRETCHES_MAX) * MINUTE_MS;
	const step = sql.raw(`interval '${stepMs / 1_000} seconds'`);
	const begin = sql`date_bin(${step}, ${gpuMinute.minute}, ${new Date(Number(span.fromMs)).toISOString()}::timestamptz)`;
	const machines = ctx.db.$with("machines").as(
		ctx.db
			.select({
				attemptId: sql<string>`${instance.attemptId}`.as("attempt_id"),
				begin: sql<string>`${begin}`.as("begin"),
				gpus: sql<number>`max(${gpuMinute.gpus})`.as("gpus"),
				permille: sql<number>`avg(${gpuMinute.utilisationPermille})`.as("permille"),
				milliwatts: sql<number | null>`avg(${gpuMinute.milliwatts})`.as("milliwatts"),
				minutes: sql<number>`count(*)`.as("minutes"),
			})
			.from(gpuMinute)
			.innerJoin(instance, eq(instance.id, gpuMinute.instanceId))
			.where(ofJob)
			.groupBy(instance.attemptId, instance.id, sql`begin`),
	);
	const rows = await ctx.db
		.with(machines)
		.select({
			attemptId: machines.attemptId,
			atMs: epochMs(sql`${machines.begin}`),
			percent: sql<string>`sum(${machines.permille} * ${machines.gpus}) / sum(${machines.gpus}) / 10`,
			// A machine without reported power makes the sum unknown, not smaller.
			watts: sql<string | null>`case when bool_and(${machines.milliwatts} is not null) then sum(${machines.milliwatts}) / 1000 end`,
			minutes: sql<number>`sum(${machines.minutes})::int`,
		})
		.from(machines)
		.groupBy(machines.attemptId, machines.begin)
		.orderBy(asc(machines.begin));
	const attempts = new Map<string, AttemptGpuUse>();
	for (const row of rows) {
		const use = attempts.get(row.attemptId) ?? { attemptId: row.attemptId, stretches: [], measuredMinutes: 0 };
		use.stretches.push({
			atMs: Number(row.atMs),
			utilisationPercent: Number(row.percent),
			powerWatts: row.watts === null ? null : Number(row.watts),
		});
		use.measuredMinutes += row.minutes;
		attempts.set(row.attemptId, use);
	}
	return { stepMs, attempts: [...attempts.values()] };
}
