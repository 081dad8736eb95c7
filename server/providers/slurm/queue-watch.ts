import type { ForeignJob } from "#server/domain/foreign-job.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { ForeignObservation } from "../foreign-queue.ts";
import type { SlurmCalls } from "./client.ts";
import { foreignJobsOf } from "./foreign-queue.ts";
import type { SlurmJob } from "./mapper.ts";
import type { SlurmPool } from "./pools.ts";
import type { ParsedSlurmSettings } from "./settings.ts";

/** A listing is repeated after this multiple of its duration, so that at most a twentieth of the time is spent on it. */
const REST = 20;
/** How many unused numbers behind the latest are queried, and the limit per pass. */
const MISSES_MAX = 3;
const REQUESTS_MAX = 200;

/**
 * The cluster's own queue, read at little cost to the controller. A listing of ten thousand jobs is 35 MB and takes seconds, so
 * it is requested rarely, and not at all while nothing has changed. Between two listings, new jobs are found by their numbers,
 * which Slurm assigns in order; a query for one job costs almost nothing.
 */
export class QueueWatch {
	readonly #settings: Pick<ParsedSlurmSettings, "user" | "queuePollMs">;
	readonly #calls: Pick<SlurmCalls, "jobsSince" | "job">;
	readonly #clock: Clock;
	readonly #jobs = new Map<number, SlurmJob>();
	#listedAtMs = Number.NEGATIVE_INFINITY;
	#tookMs = 0;
	#newest = 0;
	/** The latest second of the controller's clock seen in a job, and our own time (ms) when it was seen. */
	#clockSeen = { seconds: 0, byMs: 0 };
	/** Second of the controller's clock before which every change is known. */
	#since = 0;
	#changed = true;
	#all: readonly SlurmJob[] | null = null;
	#last: { jobs: readonly ForeignJob[]; key: string } | null = null;

	constructor(settings: Pick<ParsedSlurmSettings, "user" | "queuePollMs">, calls: Pick<SlurmCalls, "jobsSince" | "job">, clock: Clock) {
		this.#settings = settings;
		this.#calls = calls;
		this.#clock = clock;
	}

	/**
	 * `taken`: slots of each pool held by jobs of others.
	 * @throws DriverError
	 */
	async now(pools: readonly SlurmPool[], taken: ReadonlyMap<string, readonly number[]>): Promise<ForeignObservation> {
		const nowMs = this.#clock.nowMs();
		const pauseMs = Math.max(this.#settings.queuePollMs, REST * this.#tookMs);
		if (nowMs - this.#listedAtMs >= pauseMs || nowMs < this.#listedAtMs) await this.#list(nowMs);
		else await this.#findNewer();
		const key = JSON.stringify([pools.map((p) => [p.id, ...p.partitions]), [...taken]]);
		if (this.#changed || this.#last?.key !== key) {
			const jobs = foreignJobsOf([...this.#jobs.values()], { ourUser: this.#settings.user, pools, taken });
			const same = this.#last !== null && JSON.stringify(jobs) === JSON.stringify(this.#last.jobs);
			this.#last = { jobs: same && this.#last ? this.#last.jobs : jobs, key };
			this.#changed = false;
		}
		return { atMs: nowMs, jobs: this.#last?.jobs ?? [] };
	}

	/** Every job as of the last reading, ended or not; the same array while nothing new was read. */
	all(): readonly SlurmJob[] {
		this.#all ??= [...this.#jobs.values()];
		return this.#all;
	}

	/** Jobs that wait for this one, as of the last reading, with their dependencies. */
	dependantsOf(id: number): SlurmJob[] {
		return [...this.#jobs.values()].filter((j) => j.state === "PENDING" && new RegExp(`:${id}(?!\\d)`).test(j.dependency));
	}

	async #list(nowMs: number): Promise<void> {
		const begun = performance.now();
		const listed = await this.#calls.jobsSince(this.#since);
		this.#listedAtMs = nowMs;
		if (listed !== null) {
			this.#tookMs = performance.now() - begun;
			this.#jobs.clear();
			this.#all = null;
			for (const job of listed) this.#note(job);
			this.#changed = true;
			const seconds = listed.reduce((newest, j) => Math.max(newest, ...timesOf(j)), 0) / 1_000;
			if (seconds > this.#clockSeen.seconds) this.#clockSeen = { seconds, byMs: performance.now() };
		}
		// A lower bound of the controller's clock when it responded; ours may differ from it by any amount.
		this.#since = this.#clockSeen.seconds + Math.max(0, Math.floor((begun - this.#clockSeen.byMs) / 1_000));
	}

	async #findNewer(): Promise<void> {
		let misses = 0;
		for (let asked = 1, id = this.#newest + 1; asked <= REQUESTS_MAX && misses < MISSES_MAX; asked++, id++) {
			const job = await this.#calls.job(id);
			if (job === null) misses += 1;
			else {
				misses = 0;
				this.#note(job);
				this.#changed = true;
			}
		}
	}

	#note(job: SlurmJob): void {
		this.#all = null;
		this.#jobs.set(job.id, job);
		this.#newest = Math.max(this.#newest, job.id);
	}
}

function timesOf({ submittedAtMs, startedAtMs, endedAtMs }: SlurmJob): number[] {
	return [submittedAtMs ?? 0, startedAtMs ?? 0, endedAtMs ?? 0];
}
