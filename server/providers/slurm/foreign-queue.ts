import type { ForeignJob } from "#server/domain/foreign-job.ts";
import type { ForeignSight } from "../foreign-queue.ts";
import { markOf, withoutMark } from "./hold-mark.ts";
import { isOver, type SlurmJob } from "./mapper.ts";
import { isOptIn } from "./opt-in.ts";
import type { SlurmPool } from "./pools.ts";
import { isOurJobName } from "./submission.ts";

/**
 * The queue without ended jobs and Spillway's own, running jobs first. Pending jobs are in Slurm's order: by priority, then by
 * number. Slots are assigned in order from those in `taken` for each pool; Slurm chooses the real ones.
 */
export function foreignJobsOf(
	jobs: readonly SlurmJob[],
	{ ourUser, pools, taken }: { ourUser: string; pools: readonly SlurmPool[]; taken: ReadonlyMap<string, readonly number[]> },
): ForeignJob[] {
	const theirs = jobs.filter((j) => !isOver(j.state) && !(j.user === ourUser && isOurJobName(j.name)));
	const running = theirs.filter((j) => j.state !== "PENDING").sort((a, b) => a.id - b.id);
	const waiting = theirs.filter((j) => j.state === "PENDING").sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0) || a.id - b.id);
	const left = new Map([...taken].map(([poolId, slots]) => [poolId, [...slots]]));
	const give = (job: SlurmJob, poolId: string | null) => (poolId === null ? [] : (left.get(poolId)?.splice(0, job.gpus) ?? []));
	return [
		...running.map((job) => ({ ...factsOf(job, pools), slots: give(job, poolOf(job, pools)), position: null })),
		...waiting.map((job, position) => ({ ...factsOf(job, pools), slots: [], position })),
	];
}

function factsOf(job: SlurmJob, pools: readonly SlurmPool[]): Omit<ForeignJob, "slots" | "position"> {
	const state = stateOf(job);
	const comment = withoutMark(job.comment);
	return {
		id: String(job.id),
		name: job.name,
		user: job.user,
		partition: job.partition,
		poolId: poolOf(job, pools),
		state,
		waitingReason: state === "running" ? null : job.reason,
		nodes: job.nodes,
		gpus: job.gpus,
		submittedAtMs: job.submittedAtMs,
		startedAtMs: job.startedAtMs,
		timeLimitMs: job.timeLimitMs,
		optIn: isOptIn(comment) ? comment : null,
		holdMark: state === "held" ? (markOf(job.comment)?.mark ?? null) : null,
		array: job.array && { id: String(job.array.id), task: job.array.task },
		groupId: job.hetJobId === null ? null : String(job.hetJobId),
		dependsOn: job.dependency === "" ? null : job.dependency,
	};
}

function stateOf(job: SlurmJob): ForeignJob["state"] {
	if (job.state !== "PENDING") return "running";
	return job.priority === 0 || /^JobHeld/.test(job.reason) ? "held" : "waiting";
}

/** The first pool with such GPUs, enough of them per node, in a partition that the job names. */
function poolOf(job: SlurmJob, pools: readonly SlurmPool[]): string | null {
	if (job.gpus === 0) return null;
	const partitions = job.partition.split(",");
	const fits = (pool: SlurmPool) =>
		(job.gresType === null || job.gresType === pool.gresType) &&
		pool.gpusPerNode * Math.max(1, job.nodes) >= job.gpus &&
		partitions.some((name) => pool.partitions.has(name));
	return pools.find(fits)?.id ?? null;
}

const GONE: ForeignSight = { state: "gone", holdMark: null, startedAtMs: null, end: null };

export function sightOfForeign(job: SlurmJob | null): ForeignSight {
	if (job === null) return GONE;
	// For a job cancelled while pending, Slurm reports the time of its end as its start.
	const startedAtMs = job.startedAtMs !== null && job.nodeList === "" && isOver(job.state) ? null : job.startedAtMs;
	if (!isOver(job.state)) {
		const state = stateOf(job);
		return { state, holdMark: state === "held" ? (markOf(job.comment)?.mark ?? null) : null, startedAtMs, end: null };
	}
	const outcome = job.state === "COMPLETED" ? "succeeded" : job.state === "CANCELLED" ? "cancelled" : "failed";
	const holdMark = markOf(job.comment)?.mark ?? null;
	return { state: "over", holdMark, startedAtMs, end: { outcome, exitCode: job.exitCode, atMs: job.endedAtMs ?? 0 } };
}
