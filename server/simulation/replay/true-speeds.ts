import { matchesGlob } from "#server/policy/match-pattern.ts";
import type { ThroughputPrior } from "#server/scheduling/throughput/types.ts";
import type { ReplayThroughput, TraceJob } from "./types.ts";

type Family = ReplayThroughput["families"][number];
type Submitter = Pick<TraceJob, "team" | "user">;

/** Speed of a job on an accelerator relative to one of speed 1; 0 if it cannot run there. */
export function trueSpeed(throughput: ReplayThroughput, job: Submitter, accelerator: string): number {
	const { recordedOn, prior } = throughput;
	const own = familyOf(throughput, job)?.speeds ?? {};
	const [there, base] = [own[accelerator], own[recordedOn]];
	if (there === 0) return 0;
	const publicRatio = Math.exp(logMeanOf(prior, accelerator) - logMeanOf(prior, recordedOn));
	return there === undefined || base === undefined || base === 0 ? publicRatio : there / base;
}

/** The accelerators that a job is limited to because its family cannot run on the others; empty: any. */
export function acceleratorsFor(throughput: ReplayThroughput, job: Submitter): string[] {
	const speeds = Object.entries(familyOf(throughput, job)?.speeds ?? {});
	const able = speeds.filter(([, speed]) => speed > 0).map(([name]) => name);
	return able.length === speeds.length ? [] : able;
}

function familyOf({ families }: ReplayThroughput, job: Submitter): Family | undefined {
	return families.find(
		({ teams, users }) => teams.some((p) => matchesGlob(p, job.team)) && users.some((p) => matchesGlob(p, job.user ?? "")),
	);
}

/**
 * The accelerator on which a job's run time was recorded. If the scenario has speeds, gpu_type gives it and does not restrict placement.
 */
export function recordedOnOf({ recordedOn }: ReplayThroughput, { accelerators }: Pick<TraceJob, "accelerators">): string {
	return accelerators[0] ?? recordedOn;
}

function logMeanOf({ accelerators, logMean }: ThroughputPrior, accelerator: string): number {
	return logMean[accelerators.indexOf(accelerator)] ?? 0;
}
