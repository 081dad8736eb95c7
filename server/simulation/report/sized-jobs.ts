import { cheapestSize, type Scaling, speedup } from "#server/domain/scaling.ts";
import { withGpus } from "#server/domain/sized-spec.ts";
import type { ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";
import { jobsThatFit } from "./jobs-that-fit.ts";

/** The jobs that fit some pool or offer, each at the size that is cheapest at the scenario's prices. */
export function sizedJobs(jobs: readonly TraceJob[], scenario: ReplayScenario): readonly TraceJob[] {
	const { scaling: prices } = scenario;
	if (!prices) return jobs;
	return jobs.map((job) => {
		const scaling = scalingOf(job);
		if (!scaling) return job;
		const fits = (gpus: number): boolean => jobsThatFit([withSize(job, scaling, gpus)], scenario).length > 0;
		return withSize(job, scaling, cheapestSize(scaling, job.gpus, { perGpuHour: prices.usdPerGpuHour, perHour: prices.usdPerHour }, fits));
	});
}

export function scalingOf({ recorded, scaling }: TraceJob): Scaling | null {
	return recorded?.spec.scaling ?? scaling ?? null;
}

/** The job on that many GPUs: its run time, time limit and spec are adjusted. */
export function withSize(job: TraceJob, scaling: Scaling, gpus: number): TraceJob {
	if (gpus === job.gpus) return job;
	const faster = speedup(scaling, job.gpus, gpus);
	return {
		...job,
		gpus,
		durationMs: Math.max(1, Math.round(job.durationMs / faster)),
		limitMs: job.limitMs === null ? null : Math.max(1, Math.round(job.limitMs / faster)),
		...(job.recorded && { recorded: { ...job.recorded, spec: withGpus(job.recorded.spec, scaling, gpus) } }),
	};
}
