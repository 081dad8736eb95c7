import type { JobSpec } from "#server/domain/job.ts";
import { gpuBucketOf, namePatternOf } from "../forecast/history-keys.ts";
import type { Snapshot } from "../types.ts";

/** Running jobs by family and accelerator: none of these combinations is tried at the same time. Empty without known speeds. */
export function runningTrials({ running, throughput }: Pick<Snapshot, "running" | "throughput">): Set<string> {
	if (!throughput) return new Set();
	return new Set(running.map(({ spec, placement }) => trialKey(spec, placement.accelerator ?? "")));
}

export function trialKey(spec: JobSpec, accelerator: string): string {
	return `${spec.team}\n${namePatternOf(spec.name)}\n${gpuBucketOf(spec)}\n${accelerator}`;
}
