import type { JobSpec } from "#server/domain/job.ts";
import { gpuBucketOf, namePatternOf } from "../forecast/history-keys.ts";
import type { Snapshot } from "../types.ts";

/** What runs now, by family of jobs and accelerator: none of it is tried at the same time. Empty where speeds are not known. */
export function runningTrials({ running, throughput }: Pick<Snapshot, "running" | "throughput">): Set<string> {
	if (!throughput) return new Set();
	return new Set(running.map(({ spec, placement }) => trialKey(spec, placement.accelerator ?? "")));
}

export function trialKey(spec: JobSpec, accelerator: string): string {
	return `${spec.team}\n${namePatternOf(spec.name)}\n${gpuBucketOf(spec)}\n${accelerator}`;
}
