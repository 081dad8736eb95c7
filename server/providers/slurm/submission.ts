import { needsInterconnect } from "#server/domain/interconnect.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { SlurmPool } from "./pools.ts";
import type { ParsedSlurmSettings } from "./settings.ts";
import { type ApiVersion, isPlain } from "./versions.ts";

/** Job names at the cluster: a job with an unknown number is found by its name. */
const NAME_PREFIX = "spillway-";

export function jobNameOf(attemptId: string): string {
	return `${NAME_PREFIX}${attemptId}`;
}

export function isOurJobName(name: string): boolean {
	return name.startsWith(NAME_PREFIX);
}

/** Spillway ends a job at its time limit, with the reason. Slurm's own limit is only a safety net. */
const LIMIT_SLACK_MS = 10 * MINUTE_MS;

export interface SubmissionInput {
	attemptId: string;
	spec: JobSpec;
	pool: SlurmPool;
	settings: Pick<ParsedSlurmSettings, "account" | "qos">;
	environment: Record<string, string>;
	/** The script for the first node, with its #! line. */
	script: string;
	/** Its working folder. */
	folder: string;
	slurmLog: string;
}

/**
 * As `sbatch --switches=1`: Slurm waits for nodes on one leaf switch, at most its max_switch_wait. Without a topology, no effect. 22.05
 * rejects the field ("Disabled key").
 */
const ONE_SWITCH = 1;

/** The body of POST /job/submit in the form that this version requires. */
export function submissionOf(version: ApiVersion, input: SubmissionInput): unknown {
	const { attemptId, spec, pool, settings, environment, script, folder, slurmLog } = input;
	const { gpus, cpus, memoryGiB } = spec.resources;
	const minutes = timeLimitMinutes(spec.duration.maxMs, pool.maxTimeMs);
	const gres = pool.gresType === "gpu" ? `gpu:${gpus}` : `gpu:${pool.gresType}:${gpus}`;
	const common = {
		name: jobNameOf(attemptId),
		comment: `spillway ${attemptId}`,
		partition: pool.partition,
		tasks: spec.nodes,
		tasks_per_node: 1,
		current_working_directory: folder,
		standard_input: "/dev/null",
		standard_output: slurmLog,
		standard_error: slurmLog,
		...(settings.account === undefined ? {} : { account: settings.account }),
		...(settings.qos === undefined ? {} : { qos: settings.qos }),
		...(cpus === null ? {} : { cpus_per_task: Math.ceil(cpus) }),
	};
	if (isPlain(version)) {
		const job = {
			...common,
			nodes: [spec.nodes, spec.nodes],
			// 22.05 treats `requeue: false` as true; this key is not in its specification but works.
			no_requeue: true,
			environment,
			...(gpus === 0 ? {} : { gres }),
			...(memoryGiB === null ? {} : { memory_per_node: mebibytes(memoryGiB) }),
			...(minutes === null ? {} : { time_limit: minutes }),
		};
		return { script, job };
	}
	const job = {
		...common,
		script,
		minimum_nodes: spec.nodes,
		maximum_nodes: spec.nodes,
		requeue: false,
		environment: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
		...(gpus === 0 ? {} : { tres_per_node: `gres/${gres}` }),
		...(memoryGiB === null ? {} : { memory_per_node: { set: true, infinite: false, number: mebibytes(memoryGiB) } }),
		...(minutes === null ? {} : { time_limit: { set: true, infinite: false, number: minutes } }),
		...(needsInterconnect(spec) && { required_switches: { set: true, infinite: false, number: ONE_SWITCH } }),
	};
	return { job };
}

/** Slurm rejects or holds jobs above the partition's limit, so the slack is reduced first. */
function timeLimitMinutes(maxMs: number | null, partitionMaxMs: number | null): number | null {
	if (maxMs === null) return null;
	const wanted = maxMs + LIMIT_SLACK_MS;
	const allowed = partitionMaxMs !== null && maxMs <= partitionMaxMs ? Math.min(wanted, partitionMaxMs) : wanted;
	return Math.max(1, Math.ceil(allowed / MINUTE_MS));
}

function mebibytes(gibibytes: number): number {
	return Math.ceil(gibibytes * 1024);
}
