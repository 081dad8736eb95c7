import type { DrawnJob } from "./draw-queue.ts";

/** State of a run once it is idle: the database, the cluster's accounting, and the traces of the commands. */
export interface QueueOutcome {
	jobs: DrawnJob[];
	/** Number of each foreign Slurm job, by key. */
	numbers: ReadonlyMap<string, string>;
	/** Output files of foreign jobs, by key; null: no file. */
	outputs: ReadonlyMap<string, string | null>;
	/** Lines `start KEY` and `end KEY`. */
	book: string[];
	/** Spillway's jobs, including those created for adopted ones. */
	rows: { id: string; name: string; state: string }[];
	adoptions: { foreignId: string; jobId: string; state: string; exitCode: number | null }[];
	/** Attempts on the cluster, with the GPU time charged for them. */
	atHome: { id: string; gpus: number; state: string; startedAtMs: number | null; finishedAtMs: number | null; chargedGpuMs: number }[];
	/** From `sacct`; seconds since 1970. */
	sacct: { id: string; name: string; state: string; start: number; end: number }[];
}

/** One guarantee per field. Each entry is a sentence that describes one violation. */
export interface QueueViolations {
	/** Jobs that did not run to completion exactly once. */
	notOnce: string[];
	/** Jobs that ended differently from their command, in Spillway or at home. */
	outcomes: string[];
	output: string[];
	/** Charged seconds that differ from the cluster's accounting. */
	seconds: string[];
}

export function checkQueue(seen: QueueOutcome): QueueViolations {
	return { notOnce: notOnce(seen), outcomes: outcomes(seen), output: output(seen), seconds: seconds(seen) };
}

function notOnce({ jobs, book }: QueueOutcome): string[] {
	return jobs.flatMap(({ key }) => {
		const ends = book.filter((line) => line === `end ${key}`).length;
		return ends === 1 ? [] : [`${key} came to its end ${ends} times`];
	});
}

function outcomes({ jobs, rows, numbers, adoptions, sacct }: QueueOutcome): string[] {
	return jobs.flatMap(({ key, exitCode, optsIn }) => {
		const wanted = exitCode === 0 ? "succeeded" : "failed";
		if (optsIn === null) {
			const row = rows.find((r) => r.name === key);
			return row?.state === wanted ? [] : [`${key} is ${row?.state} instead of ${wanted}`];
		}
		const id = numbers.get(key) ?? "";
		const home = sacct.find((s) => s.id === id);
		const taken = adoptions.filter((a) => a.foreignId === id && a.state === "finished");
		if (!optsIn && taken.length > 0) return [`${key} was taken without its owner's leave`];
		if (taken.length === 0) {
			const atHome = exitCode === 0 ? "COMPLETED" : "FAILED";
			return home?.state === atHome ? [] : [`${key}, left at home, is ${home?.state} there instead of ${atHome}`];
		}
		const reported = taken.map((a) => a.exitCode).join();
		if (taken.length > 1 || reported !== String(exitCode)) return [`${key} left with ${exitCode} and home got ${reported}`];
		const row = rows.find((r) => r.id === taken[0]?.jobId);
		if (row?.state !== wanted) return [`${key} ran in the cloud and is ${row?.state} instead of ${wanted}`];
		return home?.state.startsWith("CANCELLED") ? [] : [`${key} ran in the cloud and is ${home?.state} at home`];
	});
}

/** Output from the cloud merges the two streams in any order, so lines are compared sorted. */
function output({ jobs, outputs }: QueueOutcome): string[] {
	return jobs.flatMap(({ key, optsIn }) => {
		if (optsIn === null) return [];
		const lines = (outputs.get(key) ?? "").split("\n").filter(Boolean).toSorted();
		const wanted = ["and to the other stream", `hello from ${key}`];
		return lines.join("|") === wanted.join("|") ? [] : [`${key}: its output is ${JSON.stringify(lines)}`];
	});
}

/** Charges must match exactly the seconds that the cluster counts for Spillway jobs; jobs that ran elsewhere must use none. */
function seconds({ atHome, sacct, jobs, numbers, adoptions }: QueueOutcome): string[] {
	const ours = new Map(sacct.filter((s) => s.name.startsWith("spillway-")).map((s) => [s.name.slice("spillway-".length), s]));
	const wrong = atHome.flatMap((a) => {
		const theirs = ours.get(a.id);
		ours.delete(a.id);
		if (!theirs) return a.chargedGpuMs === 0 ? [] : [`${a.id}: ${a.chargedGpuMs} GPU-ms are charged, and sacct does not know it`];
		const [start, end] = [a.startedAtMs, a.finishedAtMs].map((ms) => (ms === null ? null : Math.floor(ms / 1_000)));
		const chargedSeconds = a.chargedGpuMs / 1_000 / a.gpus;
		const counted = theirs.end - theirs.start;
		if (start !== theirs.start || end !== theirs.end)
			return [`${a.id}: from ${start} to ${end}, and by sacct from ${theirs.start} to ${theirs.end}`];
		// Slurm counts whole seconds. A job that starts within the second of its submission is charged from the submission on.
		return Math.abs(chargedSeconds - counted) < 1 ? [] : [`${a.id}: ${chargedSeconds} s are charged, and sacct counts ${counted} s`];
	});
	const unknown = [...ours.values()].filter((s) => s.end > s.start).map((s) => `sacct has ${s.name}, which has no attempt`);
	const left = jobs.flatMap(({ key }) => {
		const id = numbers.get(key);
		const home = sacct.find((s) => s.id === id);
		const hasFinished = adoptions.some((a) => a.foreignId === id && a.state === "finished");
		return hasFinished && home && home.end > home.start
			? [`${key} ran in the cloud, and sacct counts ${home.end - home.start} s for it`]
			: [];
	});
	return [...wrong, ...unknown, ...left];
}
