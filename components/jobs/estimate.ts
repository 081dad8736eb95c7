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
	for (const each of instances) byJob.set(each.jobId, (byJob.get(each.jobId) ?? 0n) + BigInt(each.microUsdPerHour));
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
 * Estimated total of an unfinished job: hourly price × estimated run time or, after an interruption, × uncheckpointed
 * work plus the cost so far. Null if unknown.
 */
export function estimatedTotal(job: JobView, rates: HourlyRates): bigint | null {
	const hourly = hourlyOf(job, rates);
	if (hourly === null || job.estimateMs === null) return null;
	const cost = BigInt(job.costMicroUsd);
	const over = (ms: number) => (hourly * BigInt(Math.max(0, Math.round(ms)))) / BigInt(HOUR_MS);
	if (job.attempts > 1) return cost + over(job.estimateMs - job.completedMs);
	const whole = over(job.estimateMs);
	return whole > cost ? whole : cost;
}

/** Progress, 0 to 1; null without an estimate. After an interruption only checkpointed work counts. */
export function progressOf(job: Pick<JobView, "estimateMs" | "attempts" | "startedAt" | "completedMs">, nowMs: number): number | null {
	if (job.estimateMs === null || job.estimateMs <= 0) return null;
	const ranMs = job.attempts <= 1 && job.startedAt !== null ? nowMs - Date.parse(job.startedAt) : 0;
	return Math.min(1, Math.max(0, Math.max(ranMs, job.completedMs) / job.estimateMs));
}
