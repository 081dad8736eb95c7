import type { ForeignJob, ForeignOutcome } from "#server/domain/foreign-job.ts";

/**
 * The queue that its own cluster has: jobs that Spillway did not submit. Every cluster driver says what it sees of it
 * (`ClusterObservation.foreign`); one that can also act on such jobs has a `ForeignQueue`.
 */

/** The queue as it was read last. `jobs` is the same array as before while nothing new was read. */
export interface ForeignObservation {
	atMs: number;
	jobs: readonly ForeignJob[];
}

/**
 * Acting on jobs of others, one at a time. As with every driver call: idempotent, may be made again after any error, throws
 * only DriverError (`unauthorized`: the site does not let us). What a call answers was seen after it.
 */
export interface ForeignQueue {
	/** One job as it is now, asked of the site itself. */
	look(id: string): Promise<ForeignSight>;

	/** The script or manifest as its owner gave it. @throws not_found when the site does not know the job (any more). */
	readScript(id: string): Promise<ForeignScript>;

	/**
	 * Splits the last tasks of a waiting array with a shared entry into separate jobs, at most `count`, so that each can be
	 * acted on. Nothing else changes at home. Absent: such entries do not exist.
	 */
	split?(id: string, count: number): Promise<void>;

	/**
	 * Keeps a waiting job from starting, and leaves `mark` on it (at most 64 of `A-Za-z0-9_-`). It is ours exactly if the answer is
	 * `held` with this mark. One that runs, is over, or is held by somebody else is left as it is.
	 */
	hold(id: string, mark: string): Promise<ForeignSight>;

	/** Takes the hold with this mark off, so that the site starts it as if it had never been held. Does nothing where the mark is not. */
	release(id: string, mark: string): Promise<ForeignSight>;

	/**
	 * Ends the job, because it ran elsewhere to this outcome. It does not run here (any more), and what the site lets depend on it
	 * sees the outcome. Silent when it is over or unknown.
	 */
	finish(id: string, outcome: ForeignOutcome): Promise<ForeignSight>;

	/**
	 * Writes what the job printed elsewhere to where its owner asked for it, before it is finished; the same call again writes the
	 * same. Answers the files, or why they could not be written. Null: no one looks for files there.
	 */
	readonly writeOutput: ((id: string, lines: AsyncIterable<OutputLine>) => Promise<BroughtHome>) | null;

	/**
	 * Writes the files below `from`, a folder of this host, to the folder that its owner named for checkpoints
	 * (`ForeignScript.checkpoints`), before its hold is released or it is finished; the same call again writes the same. Other files
	 * there stay.
	 * Null: no one looks for files there.
	 */
	readonly bringCheckpoint: ((id: string, from: string) => Promise<BroughtHome>) | null;
}

export interface ForeignSight {
	/** `gone`: the site does not know it (any more). */
	state: ForeignJob["state"] | "over" | "gone";
	holdMark: string | null;
	startedAtMs: number | null;
	/** How it ended; null while it is not over. */
	end: { outcome: "succeeded" | "failed" | "cancelled"; exitCode: number | null; atMs: number } | null;
}

export interface ForeignScript {
	kind: "sbatch" | "kubernetes";
	text: string;
	/** What it was given on its command line, and the name that it was called by; left out: nothing is known of any. */
	called?: { name: string; args: string[] };
	/** Left out: its owner named none. */
	checkpoints?: OwnersCheckpoints;
	/** Why it cannot run elsewhere, as far as the site knows more than the text, in sentences for its owner; empty: nothing known. */
	obstacles: string[];
}

/** Where a job keeps its checkpoints and begins from, as its owner says. */
export interface OwnersCheckpoints {
	/** A folder below its working folder. */
	path: string;
	/** How often one must be kept, as a job file has it (`5m`); left out: as often as of every job. */
	interval?: string;
}

export interface BroughtHome {
	/** Absolute paths at home. */
	files: string[];
	/** Why some could not be written; null: all were. */
	problem: string | null;
}

export interface OutputLine {
	stream: "stdout" | "stderr";
	text: string;
}
