import type { JobSpec } from "#server/domain/job.ts";
import type { WorkloadClass } from "#server/domain/vocabulary.ts";
import type { SeenJob } from "./run.ts";

/**
 * The job that a person would have submitted for a recorded one. A strict deadline makes it a burst job with that deadline. Soft and
 * best-effort jobs are baseline work without a deadline: a trace with deadlines itself shows which jobs are worth cloud money. A trace
 * without deadlines contains burst jobs only. A recorded time limit is the estimate; the run time is not known.
 */
export class TraceSpecs {
	readonly #checkpointEveryMs: number;
	/** Identical jobs share one object, so that derived values are cached once. */
	readonly #kept = new Map<string, JobSpec>();

	constructor(checkpointEveryMs: number) {
		this.#checkpointEveryMs = checkpointEveryMs;
	}

	specOf(job: SeenJob): JobSpec {
		if (job.recorded) return job.recorded.spec;
		const strictAtMs = job.deadlineKind === "strict" || job.deadlineKind === null ? job.deadlineAtMs : null;
		if (strictAtMs !== null) return { ...this.#shared(job), deadlineMs: strictAtMs };
		return this.#shared(job);
	}

	#shared(job: SeenJob): JobSpec {
		const jobClass = job.deadlineKind === "soft" || job.deadlineKind === "best" ? "baseline" : "burst";
		const { team, user, nodes, gpusPerNode, limitMs, accelerators, data } = job;
		const reads = data.length === 0 ? "" : data.map(({ uri }) => uri).join("\n");
		const key = `${team}\n${user ?? ""}\n${nodes}\n${gpusPerNode}\n${limitMs ?? ""}\n${jobClass}\n${accelerators.join("|")}\n${reads}`;
		const known = this.#kept.get(key);
		if (known) return known;
		const spec = makeSpec(job, jobClass, this.#checkpointEveryMs);
		this.#kept.set(key, spec);
		return spec;
	}
}

function makeSpec(job: SeenJob, jobClass: WorkloadClass, intervalMs: number): JobSpec {
	return {
		// Traces have no job names: all jobs of one user are one pipeline.
		name: job.user === null ? "job" : `${job.user}-job`,
		team: job.team,
		project: null,
		labels: {},
		class: jobClass,
		image: null,
		command: ["replayed"],
		env: {},
		nodes: job.nodes,
		resources: { gpus: job.gpusPerNode, accelerators: [...job.accelerators], cpus: null, memoryGiB: null },
		duration: { estimateMs: job.limitMs, maxMs: null },
		deadlineMs: null,
		priority: 0,
		critical: false,
		checkpoint: Number.isFinite(intervalMs) ? { path: "/checkpoints", intervalMs } : null,
		data: [...job.data],
	};
}
