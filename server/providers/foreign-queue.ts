import type { ForeignJob, ForeignOutcome } from "#server/domain/foreign-job.ts";

/**
 * The cluster's own queue: jobs that Spillway did not submit. Every cluster driver reports the jobs it sees
 * (`ClusterObservation.foreign`). A driver that can also act on them has a `ForeignQueue`.
 */

/** The latest reading of the queue. `jobs` remains the same array until a new reading. */
export interface ForeignObservation {
	atMs: number;
	jobs: readonly ForeignJob[];
}

/**
 * Acts on one foreign job at a time. Like every driver call: idempotent, safe to retry after any error, throws only
 * DriverError (`unauthorized`: the site denies access). The returned state was read after the action.
 */
export interface ForeignQueue {
	/** Reads the current state of one job from the site. */
	look(id: string): Promise<ForeignSight>;

	/**
	 * The script or manifest as submitted.
	 * @throws not_found if the site has no such job, or no longer has it
	 */
	readScript(id: string): Promise<ForeignScript>;

	/**
	 * Splits the last tasks (at most `count`) of a pending array that share one entry into separate jobs, so that each can be
	 * acted on. Changes nothing else on the cluster. Absent: the cluster has no such entries.
	 */
	split?(id: string, count: number): Promise<void>;

	/**
	 * Holds a pending job and sets `mark` on it (at most 64 of `A-Za-z0-9_-`). The hold is ours only if the result is `held`
	 * with this mark. Leaves running jobs, ended jobs and jobs with another hold unchanged.
	 */
	hold(id: string, mark: string): Promise<ForeignSight>;

	/** Removes the hold with this mark, so that the site starts the job as if never held. Does nothing without the mark. */
	release(id: string, mark: string): Promise<ForeignSight>;

	/**
	 * Ends the job with the outcome of its run elsewhere. The job no longer runs here, and dependent jobs see the outcome.
	 * Does nothing when the job has ended or is unknown.
	 */
	finish(id: string, outcome: ForeignOutcome): Promise<ForeignSight>;

	/**
	 * Writes the job's output from elsewhere to the files that its owner requested, before `finish`. Idempotent. Returns the
	 * files, or why they could not be written. Null: the site has no such files.
	 */
	readonly writeOutput: ((id: string, lines: AsyncIterable<OutputLine>) => Promise<BroughtHome>) | null;

	/**
	 * Copies the files below `from`, a folder on this host, to the owner's checkpoint folder (`ForeignScript.checkpoints`),
	 * before `release` or `finish`. Idempotent. Keeps other files in that folder. Null: the site has no such folder.
	 */
	readonly bringCheckpoint: ((id: string, from: string) => Promise<BroughtHome>) | null;
}

export interface ForeignSight {
	/** `gone`: the site has no such job, or no longer has it. */
	state: ForeignJob["state"] | "over" | "gone";
	/**
	 * The mark of the hold while the job is held, and after it ended under that hold. Null at any other time: after `over`, null
	 * means that the hold was removed first, so that the job could run here.
	 */
	holdMark: string | null;
	startedAtMs: number | null;
	/** How the job ended; null before its end. */
	end: { outcome: "succeeded" | "failed" | "cancelled"; exitCode: number | null; atMs: number } | null;
}

export interface ForeignScript {
	kind: "sbatch" | "kubernetes";
	text: string;
	/** Script name and command-line arguments. Absent: unknown. */
	called?: { name: string; args: string[] };
	/** Absent: the owner named none. */
	checkpoints?: OwnersCheckpoints;
	/** Reasons known to the site, beyond the text, why the job cannot run elsewhere, as sentences for its owner. Empty: none known. */
	obstacles: string[];
}

/** The owner's settings for where the job saves checkpoints and restarts from. */
export interface OwnersCheckpoints {
	/** A folder below the job's working folder. */
	path: string;
	/** Checkpoint interval in job-file syntax (`5m`). Absent: the default for all jobs. */
	interval?: string;
}

export interface BroughtHome {
	/** Absolute paths on the owned cluster. */
	files: string[];
	/** Why some could not be written; null if all were. */
	problem: string | null;
}

export interface OutputLine {
	stream: "stdout" | "stderr";
	text: string;
}
