import { matchesGlob } from "#server/policy/match-pattern.ts";
import type { ThroughputPrior } from "#server/scheduling/throughput/types.ts";
import type { ReplayThroughput, TraceJob } from "./types.ts";

type Family = ReplayThroughput["families"][number];
type Submitter = Pick<TraceJob, "team" | "user">;

/** Speed of a job on an accelerator relative to the one of speed 1; 0: it cannot run there. */
export function trueSpeed(throughput: ReplayThroughput, job: Submitter, accelerator: string): number {
	const { recordedOn, prior } = throughput;
	const own = familyOf(throughput, job)?.speeds ?? {};
	const [there, base] = [own[accelerator], own[recordedOn]];
	if (there === 0) return 0;
	const publicRatio = Math.exp(logMeanOf(prior, accelerator) - logMeanOf(prior, recordedOn));
	return there === undefined || base === undefined || base === 0 ? publicRatio : there / base;
}

/** The accelerators that a job is bound to, since its family cannot run on some; empty: any. */
export function ableOn(throughput: ReplayThroughput, job: Submitter): string[] {
	const speeds = Object.entries(familyOf(throughput, job)?.speeds ?? {});
	const able = speeds.filter(([, speed]) => speed > 0).map(([name]) => name);
	return able.length === speeds.length ? [] : able;
}

function familyOf({ families }: ReplayThroughput, job: Submitter): Family | undefined {
	return families.find(
		({ teams, users }) => teams.some((p) => matchesGlob(p, job.team)) && users.some((p) => matchesGlob(p, job.user ?? "")),
	);
}

/** The accelerator that a job's run time was recorded on. With speeds in the scenario gpu_type says that, and binds no one. */
export function recordedOnOf({ recordedOn }: ReplayThroughput, { accelerators }: Pick<TraceJob, "accelerators">): string {
	return accelerators[0] ?? recordedOn;
}

function logMeanOf({ accelerators, logMean }: ThroughputPrior, accelerator: string): number {
	return logMean[accelerators.indexOf(accelerator)] ?? 0;
}
