import type { ClusterWait } from "#server/domain/cluster-wait.ts";
import type { AttemptObservation } from "../driver.ts";
import { isOver, type SlurmJob } from "./mapper.ts";

type Exit = NonNullable<AttemptObservation["exit"]>;

/** Recorded facts of the Slurm job, because the controller forgets ended jobs after some minutes. */
export interface JobNote {
	slurmJobId: number;
	/** By our clock. Slurm reports whole seconds, which would put a start before its submission. */
	submittedAtMs: number;
	startedAtMs: number | null;
	endedAtMs: number | null;
}

/** The contents of an attempt's folder. */
export interface AttemptFacts {
	attemptId: string;
	slots: number[];
	folder: string;
	note: JobNote | null;
	/** Written on the node by the run that has the claim. */
	run: { slurmJobId: number; restarts: number } | null;
	/** When the command's process was created. */
	childAtMs: number | null;
	exit: { atMs: number; exit: Exit } | null;
	/** Until when the job may continue after a stop request. */
	stopByMs: number | null;
}

/** Slurm's last state of the job. */
export type Sight =
	| { kind: "unasked" }
	/** Since when the controller does not know it, or reports that it has ended. */
	| { kind: "gone"; sinceMs: number }
	| { kind: "job"; job: SlurmJob; overSinceMs: number | null; startedAgain: boolean };

/**
 * Merges a new response of Slurm with the earlier facts. `startedAgain`: the job had run, and was requeued by someone or by a
 * controller that had lost its latest state. It does not run again: its work is lost, and that is reported.
 */
export function sightOf(job: SlurmJob | null, { facts, sight }: { facts: AttemptFacts; sight: Sight }, nowMs: number): Sight {
	if (job === null) return sight.kind === "gone" ? sight : { kind: "gone", sinceMs: nowMs };
	const before = sight.kind === "job" ? sight : null;
	const overSinceMs = isOver(job.state) ? (before?.overSinceMs ?? nowMs) : null;
	return { kind: "job", job, overSinceMs, startedAgain: before?.startedAgain === true || hasStartedAgain(facts, job) };
}

function hasStartedAgain({ run, note }: AttemptFacts, job: SlurmJob): boolean {
	if (run === null || run.slurmJobId !== job.id) return false;
	const startedLater = note !== null && note.startedAtMs !== null && job.startedAtMs !== null && job.startedAtMs > note.startedAtMs;
	return job.state === "PENDING" || job.restarts > run.restarts || startedLater;
}

export function mustBeCancelled(sight: Sight): boolean {
	return sight.kind === "job" && sight.startedAgain && sight.overSinceMs === null;
}

/** Slurm took the GPUs for itself or lost them. */
const TAKEN_AWAY = ["NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REVOKED"];

/** The supervisor's file reports the end. Slurm's report is used if there is none, and for the times and the reason. */
export function observationOf(facts: AttemptFacts, sight: Sight, now: { nowMs: number; settleMs: number }): AttemptObservation {
	const { attemptId, slots, childAtMs, exit, note } = facts;
	const common = { attemptId, slots, clusterWait: null, finishedAtMs: null, exit: null };
	const startedAtMs = childAtMs === null ? null : (note?.startedAtMs ?? childAtMs);
	const stopping = facts.stopByMs !== null || exit !== null || mustBeCancelled(sight);
	if (!isSettled(facts, sight, now)) {
		const phase = stopping || overSince(sight) !== null ? "stopping" : startedAtMs === null ? "staging" : "running";
		return { ...common, phase, clusterWait: phase === "staging" ? waitOf(sight) : null, startedAtMs };
	}
	const end = wasPreempted(facts, sight) ? null : (exit?.exit ?? (sight.kind === "job" ? endWithoutFile(facts, sight.job) : null));
	const ranFromMs = end === null || end.error === null ? startedAtMs : null;
	const finishedAtMs = Math.max(note?.endedAtMs ?? exit?.atMs ?? overSince(sight) ?? 0, ranFromMs ?? 0);
	return { ...common, phase: end === null ? "lost" : "exited", startedAtMs: ranFromMs, finishedAtMs, exit: end };
}

/** Before its first turn in the queue Slurm has no reason yet: `None`. */
function waitOf(sight: Sight): ClusterWait | null {
	if (sight.kind !== "job" || sight.job.state !== "PENDING") return null;
	const { reason, description } = sight.job;
	return reason === "" || reason === "None" ? null : { reason, detail: description === reason ? "" : description };
}

/** Whether nothing of it changes any more: Slurm has ended the job, so its GPUs are free, and its files have been read. */
function isSettled({ exit, note, run }: AttemptFacts, sight: Sight, { nowMs, settleMs }: { nowMs: number; settleMs: number }): boolean {
	if (note === null) return exit !== null;
	const overSinceMs = overSince(sight);
	if (exit === null) return overSinceMs !== null && (run === null || nowMs - overSinceMs >= settleMs);
	// A process that cannot be killed keeps a job completing for hours, although its command has ended.
	return overSinceMs !== null || (sight.kind === "job" && sight.job.state === "COMPLETING" && nowMs - exit.atMs >= settleMs);
}

function overSince(sight: Sight): number | null {
	return sight.kind === "gone" ? sight.sinceMs : sight.kind === "job" ? sight.overSinceMs : null;
}

/**
 * Slurm ended it for its own reasons. Its exit code is then ignored, because many programs exit with 0 after saving a checkpoint.
 * A command that had ended before by itself counts.
 */
function wasPreempted(facts: AttemptFacts, sight: Sight): boolean {
	if (facts.stopByMs !== null || sight.kind !== "job") return false;
	if (sight.startedAgain) return true;
	const endedBefore = facts.exit !== null && facts.exit.atMs < (sight.job.endedAtMs ?? 0);
	return TAKEN_AWAY.includes(sight.job.state) && !endedBefore;
}

/** How a job without a recorded end ended; null: it is lost, and may be run again. */
function endWithoutFile(facts: AttemptFacts, job: SlurmJob): Exit | null {
	const stopAsked = facts.stopByMs !== null;
	const ran = facts.childAtMs !== null;
	const bySignal = (signal: string): Exit => ({ code: null, signal, error: null });
	const neverRan = (error: string): Exit => ({ code: null, signal: null, error, failedAt: "start" });
	switch (job.state) {
		case "CANCELLED":
			if (stopAsked) return bySignal(ran ? "SIGKILL" : "SIGTERM");
			return ran ? bySignal("SIGTERM") : neverRan(`Slurm job ${job.id} was cancelled in the cluster before it ran`);
		case "TIMEOUT":
		case "DEADLINE":
		case "OUT_OF_MEMORY":
			return ran ? bySignal("SIGKILL") : neverRan(`Slurm ended job ${job.id} before it ran: ${job.state} (${job.reason})`);
		default:
			if (stopAsked) return bySignal(ran ? "SIGKILL" : "SIGTERM");
			if (facts.run !== null) return null;
			return neverRan(
				`Slurm job ${job.id} ended as ${job.state} on ${job.nodeList || "no node"} before its script started. Check that the folder ${facts.folder} exists on the nodes and is owned by ${job.user}`,
			);
	}
}
