import type { InstanceView, JobView, SiteView } from "#components/trpc/outputs.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** What an hour costs: of a GPU in an owned pool, and of the machines that a job has now. Micro-dollars. */
export type HourlyRates = {
	byPool: ReadonlyMap<string, bigint>;
	byJob: ReadonlyMap<string, bigint>;
	/** The owned pool in which waiting jobs would start; null when there are none or several prices. */
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

/** What an hour of the job costs where it is, or at home while it waits for home; null when that is not known. */
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
 * What a job that has not ended will have cost: its price an hour over the run time that its submitter gave, or, after an
 * interruption, over what is not checkpointed yet on top of what it cost. Null when either is not known.
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

/** The share of the work that is done, 0 to 1; null without an estimate. After an interruption only what was checkpointed counts. */
export function progressOf(job: Pick<JobView, "estimateMs" | "attempts" | "startedAt" | "completedMs">, nowMs: number): number | null {
	if (job.estimateMs === null || job.estimateMs <= 0) return null;
	const ranMs = job.attempts <= 1 && job.startedAt !== null ? nowMs - Date.parse(job.startedAt) : 0;
	return Math.min(1, Math.max(0, Math.max(ranMs, job.completedMs) / job.estimateMs));
}
