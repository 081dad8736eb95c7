import type { InstanceView, JobView, SiteView } from "#components/trpc/outputs.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Hourly prices in micro-dollars: per GPU of an owned pool, and of each job's current machines. */
export type HourlyRates = {
	byPool: ReadonlyMap<string, bigint>;
	byJob: ReadonlyMap<string, bigint>;
	/** The owned pool where queued jobs would start; null if there is none or prices differ. */
	home: { siteId: string; microUsdPerGpuHour: bigint | null } | null;
};

export function hourlyRates(sites: readonly SiteView[], instances: readonly InstanceView[]): HourlyRates {
	const byPool = new Map<string, bigint>();
	const owned = sites.filter((site) => site.kind === "owned" && site.enabled);
	for (const site of owned) for (const pool of site.pools) byPool.set(`${site.id}/${pool.id}`, BigInt(pool.microUsdPerGpuHour));
	const byJob = new Map<string, bigint>();
	for (const { jobId, microUsdPerHour } of instances)
		if (jobId !== null) byJob.set(jobId, (byJob.get(jobId) ?? 0n) + BigInt(microUsdPerHour));
	const prices = [...new Set(byPool.values())];
	const first = owned[0];
	return { byPool, byJob, home: first ? { siteId: first.id, microUsdPerGpuHour: prices.length === 1 ? (prices[0] ?? null) : null } : null };
}

/** Hourly price of a job at its location, or on owned GPUs while queued for them; null if unknown. */
export function hourlyOf(job: JobView, rates: HourlyRates): bigint | null {
	if (job.placement?.capacityType === "owned") {
		const perGpu = rates.byPool.get(`${job.placement.siteId}/${job.placement.poolId ?? ""}`);
		return perGpu === undefined ? null : perGpu * BigInt(job.gpus);
	}
	if (job.placement) return rates.byJob.get(job.id) ?? null;
	if (job.forecast === null || rates.home?.microUsdPerGpuHour == null) return null;
	return rates.home.microUsdPerGpuHour * BigInt(job.gpus);
}

/**
 * Estimated total of an unfinished job. With a live attempt: the placing decision's estimate. While queued for owned
 * GPUs: the cost so far plus hourly price × uncheckpointed work. At least the cost so far; null if unknown.
 */
export function estimatedTotal(job: JobView, rates: HourlyRates): bigint | null {
	const cost = BigInt(job.costMicroUsd);
	if (job.expected) {
		const expected = BigInt(job.expected.totalMicroUsd);
		return expected > cost ? expected : cost;
	}
	const hourly = hourlyOf(job, rates);
	if (hourly === null || job.estimateMs === null) return null;
	const over = (ms: number) => (hourly * BigInt(Math.max(0, Math.round(ms)))) / BigInt(HOUR_MS);
	return cost + over(job.estimateMs - job.completedMs);
}

type Timed = Pick<JobView, "estimateMs" | "completedMs" | "expected">;

/** Work of a job in command time, ms: done so far, and the whole as expected; null without an estimate. */
export function workOf(job: Timed, nowMs: number): { doneMs: number; workMs: number | null } {
	const { expected } = job;
	const ranMs = expected?.beganAt ? Math.max(0, nowMs - Date.parse(expected.beganAt)) : 0;
	return { doneMs: Math.max(job.completedMs, (expected?.beforeMs ?? 0) + ranMs), workMs: expected?.workMs ?? job.estimateMs };
}

/** Progress, 0 to 1; null without an estimate. */
export function progressOf(job: Timed, nowMs: number): number | null {
	const { doneMs, workMs } = workOf(job, nowMs);
	return workMs === null || workMs <= 0 ? null : Math.min(1, doneMs / workMs);
}
