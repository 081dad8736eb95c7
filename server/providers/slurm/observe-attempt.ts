import type { AttemptObservation } from "../driver.ts";
import { isOver, type SlurmJob } from "./mapper.ts";

type Exit = NonNullable<AttemptObservation["exit"]>;

/** What is kept of the Slurm job, since the controller forgets jobs that are over after some minutes. */
export interface JobNote {
	slurmJobId: number;
	startedAtMs: number | null;
	endedAtMs: number | null;
}

/** What an attempt's folder says. */
export interface AttemptFacts {
	attemptId: string;
	slots: number[];
	folder: string;
	note: JobNote | null;
	/** Written on the node by the run that has the claim. */
	run: { slurmJobId: number; restarts: number } | null;
	/** When the command's process was made. */
	childAtMs: number | null;
	exit: { atMs: number; exit: Exit } | null;
	/** Until when the job may go on, once it was told to stop. */
	stopByMs: number | null;
}

/** What Slurm said of the job when it was asked last. */
export type Sight =
	| { kind: "unasked" }
	/** The controller does not know it, or says that it is over, since this moment. */
	| { kind: "gone"; sinceMs: number }
	| { kind: "job"; job: SlurmJob; overSinceMs: number | null };

/** Somebody put the job back into the queue after it had run. It is not run again: what it did is lost, and said so. */
export function wasRequeued({ run }: AttemptFacts, sight: Sight): boolean {
	return run !== null && sight.kind === "job" && sight.job.id === run.slurmJobId && sight.job.restarts > run.restarts;
}

/** An end is told by the supervisor's file; Slurm's word counts where there is none, and for the times. */
export function observationOf(facts: AttemptFacts, sight: Sight, now: { nowMs: number; settleMs: number }): AttemptObservation {
	const { attemptId, slots, childAtMs, exit, note } = facts;
	const common = { attemptId, slots, finishedAtMs: null, exit: null };
	const startedAtMs = childAtMs === null ? null : (note?.startedAtMs ?? childAtMs);
	const live = facts.stopByMs !== null || exit !== null ? "stopping" : startedAtMs === null ? "staging" : "running";
	if (exit !== null) {
		if (!maySayItsEnd(facts, sight)) return { ...common, phase: "stopping", startedAtMs };
		const ranFromMs = exit.exit.error === null ? startedAtMs : null;
		const finishedAtMs = Math.max(note?.endedAtMs ?? exit.atMs, ranFromMs ?? 0);
		return { ...common, phase: "exited", startedAtMs: ranFromMs, finishedAtMs, exit: exit.exit };
	}
	const overSinceMs = sight.kind === "gone" ? sight.sinceMs : sight.kind === "job" ? sight.overSinceMs : null;
	if (overSinceMs === null) return { ...common, phase: wasRequeued(facts, sight) ? "stopping" : live, startedAtMs };
	// The file may be there and not yet be seen from this host.
	if (facts.run !== null && now.nowMs - overSinceMs < now.settleMs) return { ...common, phase: "stopping", startedAtMs };
	const end = sight.kind === "job" && !wasRequeued(facts, sight) ? endWithoutFile(facts, sight.job) : null;
	const finishedAtMs = Math.max(note?.endedAtMs ?? overSinceMs, startedAtMs ?? 0);
	return { ...common, phase: end === null ? "lost" : "exited", startedAtMs, finishedAtMs, exit: end };
}

/** The GPUs are free when Slurm has ended the job too. */
function maySayItsEnd(facts: AttemptFacts, sight: Sight): boolean {
	if (facts.note === null || sight.kind === "gone") return true;
	return sight.kind === "job" && (sight.overSinceMs !== null || sight.job.state === "COMPLETING" || wasRequeued(facts, sight));
}

/** How a job ended of which nobody wrote the end down; null: it is lost, and may be run again. */
function endWithoutFile(facts: AttemptFacts, job: SlurmJob): Exit | null {
	const stopAsked = facts.stopByMs !== null;
	const ran = facts.childAtMs !== null;
	const bySignal = (signal: string): Exit => ({ code: null, signal, error: null });
	const neverRan = (error: string): Exit => ({ code: null, signal: null, error, failedAt: "start" });
	switch (job.state) {
		case "NODE_FAIL":
		case "BOOT_FAIL":
		case "PREEMPTED":
		case "REVOKED":
			return null;
		case "CANCELLED":
			if (stopAsked) return bySignal(ran ? "SIGKILL" : "SIGTERM");
			return ran ? bySignal("SIGTERM") : neverRan(`Slurm job ${job.id} was cancelled at the cluster before it ran`);
		case "TIMEOUT":
		case "DEADLINE":
		case "OUT_OF_MEMORY":
			return ran ? bySignal("SIGKILL") : neverRan(`Slurm ended job ${job.id} before it ran: ${job.state} (${job.reason})`);
		default:
			if (stopAsked) return bySignal(ran ? "SIGKILL" : "SIGTERM");
			if (facts.run !== null) return null;
			return neverRan(
				`Slurm job ${job.id} ended as ${job.state} on ${job.nodeList || "no node"} before anything of it ran; see that the folder ${facts.folder} is there on the nodes and belongs to ${job.user}`,
			);
	}
}

/** When a job was first seen to be over. */
export function sightOf(job: SlurmJob | null, before: Sight, nowMs: number): Sight {
	if (job === null) return before.kind === "gone" ? before : { kind: "gone", sinceMs: nowMs };
	if (!isOver(job.state)) return { kind: "job", job, overSinceMs: null };
	return { kind: "job", job, overSinceMs: before.kind === "job" && before.overSinceMs !== null ? before.overSinceMs : nowMs };
}
