import { z } from "zod";

/**
 * Converts slurmrestd's responses to the one form that the driver works with. Both generations are supported: up to v0.0.38
 * (Slurm 22.05) numbers are plain and states are words; from v0.0.40 on (23.11 and newer) numbers are `{set, infinite, number}`
 * and states are lists. Unused fields are ignored.
 */

const figure = z
	.union([
		z.number(),
		z.looseObject({ set: z.boolean().default(true), infinite: z.boolean().default(false), number: z.number().default(0) }),
	])
	.nullish()
	.transform((f) => (f === null || f === undefined ? null : typeof f === "number" ? f : f.set && !f.infinite ? f.number : null));
const words = z
	.union([z.string(), z.array(z.string())])
	.nullish()
	.transform((w) => (w === null || w === undefined ? [] : Array.isArray(w) ? w : [w]).map((word) => word.toUpperCase()));
const text = z
	.string()
	.nullish()
	.transform((t) => t ?? "");

/** How the script ended: a wait status up to v0.0.38, separate fields in newer versions. */
const exitStatus = z
	.union([z.number(), z.looseObject({ return_code: figure })])
	.nullish()
	.transform((e) => (e === null || e === undefined ? null : typeof e === "number" ? (e & 0x7f ? null : e >> 8) : e.return_code));

const BASE_STATES = [
	...["PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL"],
	...["DEADLINE", "OUT_OF_MEMORY", "REVOKED"],
] as const;
export type SlurmJobState = (typeof BASE_STATES)[number] | "COMPLETING" | "UNKNOWN";

export interface SlurmJob {
	id: number;
	name: string;
	user: string;
	partition: string;
	/** 22.05 reports COMPLETING instead of how the job ended; so does this. */
	state: SlurmJobState;
	/** Why it is pending or why it ended: Slurm's own word. */
	reason: string;
	/** Details, e.g. `ReqNodeNotAvail, UnavailableNodes:gpu01`; empty if there are none. */
	description: string;
	/** How often it was requeued after it had started. */
	restarts: number;
	submittedAtMs: number | null;
	/** null for a pending job: Slurm's estimate does not count as a start. */
	startedAtMs: number | null;
	/** null for a job that has not ended. */
	endedAtMs: number | null;
	timeLimitMs: number | null;
	nodes: number;
	gpus: number;
	/** The GPU type that it requested by name; null: any. */
	gresType: string | null;
	nodeList: string;
	userId: number | null;
	comment: string;
	/** 0 means held. */
	priority: number | null;
	/** In Slurm's format, e.g. `afterok:12(unfulfilled)`. */
	dependency: string;
	/** For an array: its number, and the task's, or the tasks without a separate job yet. */
	array: { id: number; task: string } | null;
	/** For a heterogeneous job. */
	hetJobId: number | null;
	/** The script's file, followed by its arguments up to 22.05; see script-arguments.ts. */
	command: string;
	/** The sbatch command line, words separated by spaces; empty if the server does not report it. */
	submitLine: string;
	/** The folder from which it was submitted. */
	workFolder: string;
	/** As its owner wrote them, with Slurm's patterns; empty: Slurm's default. */
	stdoutPattern: string;
	stderrPattern: string;
	exitCode: number | null;
}

export const jobSchema = z
	.looseObject({
		job_id: z.number().int(),
		name: text,
		user_name: text,
		partition: text,
		job_state: words,
		state_reason: text,
		state_description: text,
		restart_cnt: figure,
		submit_time: figure,
		start_time: figure,
		end_time: figure,
		time_limit: figure,
		node_count: figure,
		nodes: text,
		tres_alloc_str: text,
		tres_req_str: text,
		tres_per_node: text,
		tres_per_job: text,
		user_id: figure,
		comment: text,
		priority: figure,
		dependency: text,
		array_job_id: figure,
		array_task_id: figure,
		array_task_string: text,
		het_job_id: figure,
		command: text,
		submit_line: text,
		current_working_directory: text,
		standard_output: text,
		standard_error: text,
		exit_code: exitStatus,
	})
	.transform((j): SlurmJob => {
		const state = stateOf(j.job_state);
		const over = isOver(state);
		return {
			id: j.job_id,
			name: j.name,
			user: j.user_name,
			partition: j.partition,
			state,
			reason: j.state_reason,
			description: j.state_description,
			restarts: j.restart_cnt ?? 0,
			submittedAtMs: instant(j.submit_time),
			startedAtMs: state === "PENDING" ? null : instant(j.start_time),
			endedAtMs: over ? instant(j.end_time) : null,
			timeLimitMs: j.time_limit === null ? null : j.time_limit * 60_000,
			nodes: j.node_count ?? 1,
			gpus: gpusOfJob(j),
			gresType:
				gpusInGres([j.tres_per_node, j.tres_per_job].join(",").replaceAll(/gres[:/]/g, "")).find((g) => g.type !== "gpu")?.type ?? null,
			nodeList: j.nodes,
			userId: j.user_id,
			comment: j.comment,
			priority: j.priority,
			dependency: j.dependency,
			array: arrayOf(j),
			hetJobId: j.het_job_id !== null && j.het_job_id > 0 ? j.het_job_id : null,
			command: j.command,
			submitLine: j.submit_line,
			workFolder: j.current_working_directory,
			stdoutPattern: j.standard_output,
			stderrPattern: j.standard_error,
			exitCode: over ? j.exit_code : null,
		};
	});

function arrayOf(j: { array_job_id: number | null; array_task_id: number | null; array_task_string: string }): SlurmJob["array"] {
	if (j.array_job_id === null || j.array_job_id <= 0) return null;
	return { id: j.array_job_id, task: j.array_task_string || String(j.array_task_id ?? "") };
}

export interface SlurmNode {
	name: string;
	partitions: string[];
	/** Base state and flags, e.g. IDLE, DRAIN. */
	states: string[];
	gpus: { type: string; count: number }[];
	gpusUsed: { type: string; count: number }[];
	reason: string;
}

export const nodeSchema = z
	.looseObject({
		name: z.string().min(1),
		partitions: z.array(z.string()).nullish(),
		state: words,
		state_flags: words,
		gres: text,
		gres_used: text,
		reason: text,
	})
	.transform(
		(n): SlurmNode => ({
			name: n.name,
			partitions: n.partitions ?? [],
			states: [...n.state, ...n.state_flags].flatMap((word) => word.split("+")),
			gpus: gpusInGres(n.gres),
			gpusUsed: gpusInGres(n.gres_used),
			reason: n.reason,
		}),
	);

export interface SlurmPartition {
	name: string;
	up: boolean;
	/** Time limit of a job; null: no limit. */
	maxTimeMs: number | null;
}

export const partitionSchema = z
	.looseObject({
		name: z.string().min(1),
		/** 22.05. */
		state: words,
		max_time_limit: figure,
		/** From v0.0.40 on. */
		partition: z.looseObject({ state: words }).nullish(),
		maximums: z.looseObject({ time: figure }).nullish(),
	})
	.transform((p): SlurmPartition => {
		const minutes = p.maximums ? p.maximums.time : p.max_time_limit;
		const states = p.partition ? p.partition.state : p.state;
		// 22.05 reports "no limit" as 4294967295 or as a negative number.
		const limited = minutes !== null && minutes > 0 && minutes < 2 ** 31;
		return { name: p.name, up: states.includes("UP"), maxTimeMs: limited ? minutes * 60_000 : null };
	});

function stateOf(said: readonly string[]): SlurmJobState {
	const base = BASE_STATES.find((state) => said.includes(state));
	// Requeued jobs are reported as PENDING with a flag, and are still completing in between.
	if (said.includes("COMPLETING") || said.includes("CONFIGURING")) return base ?? (said.includes("COMPLETING") ? "COMPLETING" : "RUNNING");
	return base ?? (said.some((s) => s.startsWith("REQUEUE") || s === "SPECIAL_EXIT") ? "PENDING" : "UNKNOWN");
}

/** Whether it will not run any more unless someone requeues it. */
export function isOver(state: SlurmJobState): boolean {
	return !["PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "UNKNOWN"].includes(state);
}

/** Seconds since 1970, where 0 stands for "not yet". */
function instant(seconds: number | null): number | null {
	return seconds === null || seconds <= 0 ? null : seconds * 1_000;
}

/** `gpu:h100:8(S:0-1),gpu:a100:4` and `gpu:8`; `gres_used` has indices in parentheses. GPUs without a type have type `gpu`. */
export function gpusInGres(gres: string): { type: string; count: number }[] {
	const found = gres.replace(/\([^)]*\)/g, "").matchAll(/(?:^|,)gpu(?::([^:,]+(?=:)))?:(\d+)/g);
	return [...found].map(([, type, count]) => ({ type: type ?? "gpu", count: Number(count) }));
}

/** If the cluster counts GPUs among its TRES, that count; otherwise the job's request per node. */
function gpusOfJob(job: { tres_alloc_str: string; tres_req_str: string; tres_per_node: string; node_count: number | null }): number {
	const counted = gpusInTres(job.tres_alloc_str || job.tres_req_str);
	if (counted > 0) return counted;
	const perNode = gpusInGres(job.tres_per_node.replaceAll(/gres[:/]/g, "")).reduce((sum, g) => sum + g.count, 0);
	return perNode * (job.node_count ?? 1);
}

/** `cpu=4,mem=8G,gres/gpu=2,gres/gpu:h100=2`: the sum is the untyped one if there is one. */
export function gpusInTres(tres: string): number {
	const found = [...tres.matchAll(/(?:^|,)gres\/gpu(:[^=,]+)?=(\d+)/g)];
	const whole = found.find(([, type]) => type === undefined);
	return whole ? Number(whole[2]) : found.reduce((sum, [, , count]) => sum + Number(count), 0);
}
