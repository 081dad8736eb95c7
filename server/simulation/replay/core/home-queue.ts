import type { PendingJob } from "#server/scheduling/types.ts";
import { WorkList } from "./work-list.ts";

/**
 * How many jobs that can only run at home and are not urgent one decision considers: the first in queue order, as with Slurm's
 * bf_max_job_test (100 by default). Later jobs could start only by a deeper backfill.
 */
const LOOKED_AT = 100;

/** The pending jobs: all that may leave home or have a deadline, and the first of the others in queue order. */
export class HomeQueue {
	readonly #seen = new WorkList<PendingJob>();
	/** Jobs in #seen that represent the whole backlog. */
	readonly #front = new Set<string>();
	readonly #backlog: PendingJob[] = [];
	#head = 0;

	/** Number of waiting jobs that a decision considers. */
	get size(): number {
		return this.#seen.size;
	}

	get(jobId: string): PendingJob | undefined {
		return this.#seen.get(jobId);
	}

	/** `canWait`: the job can only run at home and has no deadline. */
	add(job: PendingJob, canWait: boolean): void {
		if (!canWait) this.#seen.set(job);
		else if (this.#front.size < LOOKED_AT) this.#toFront(job);
		else this.#backlog.push(job);
	}

	/** Replaces the entry of the same job. */
	replace(job: PendingJob): void {
		this.#seen.set(job);
	}

	delete(jobId: string): void {
		this.#seen.delete(jobId);
		if (!this.#front.delete(jobId)) return;
		const next = this.#backlog[this.#head];
		if (!next) return;
		this.#head++;
		this.#toFront(next);
		if (this.#head < LOOKED_AT * 10 || this.#head * 2 < this.#backlog.length) return;
		this.#backlog.splice(0, this.#head);
		this.#head = 0;
	}

	/** The jobs that a decision considers. */
	list(): PendingJob[] {
		return this.#seen.list();
	}

	#toFront(job: PendingJob): void {
		this.#front.add(job.jobId);
		this.#seen.set(job);
	}
}
