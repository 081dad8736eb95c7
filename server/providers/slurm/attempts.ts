import { readdir } from "node:fs/promises";
import type { Clock } from "#server/kernel/clock.ts";
import type { AttemptObservation } from "../driver.ts";
import { isAttemptId } from "../start-rules.ts";
import { readFacts, readRequest, readRequestSync, type SlurmPaths, type StoredRequest, slurmPaths, writeNote } from "./attempt-files.ts";
import type { SlurmCalls } from "./client.ts";
import { type AttemptFacts, observationOf, type Sight, sightOf } from "./observe-attempt.ts";
import type { ParsedSlurmSettings } from "./settings.ts";
import { jobNameOf } from "./submission.ts";

export interface KnownAttempt {
	paths: SlurmPaths;
	request: StoredRequest;
	facts: AttemptFacts;
	sight: Sight;
	observation: AttemptObservation;
}

export function isLive({ observation: { phase } }: KnownAttempt): boolean {
	return phase !== "exited" && phase !== "lost";
}

/** Slurm queries per pass. The rest is queried in the next pass, the longest waiting first. */
const REQUESTS_MAX = 64;
const REQUESTS_AT_ONCE = 8;

/**
 * The attempts in the site's folder and Slurm's state of their jobs. Only the folder is the source of truth: the cache avoids
 * repeated reads and queries, so that Slurm gets few queries even with many jobs.
 */
export class SlurmAttempts {
	readonly #settings: ParsedSlurmSettings;
	readonly #calls: SlurmCalls;
	readonly #clock: Clock;
	readonly #requests = new Map<string, StoredRequest>();
	readonly #sights = new Map<string, { sight: Sight; askedAtMs: number }>();
	/** Every attempt as last seen. */
	readonly #latest = new Map<string, KnownAttempt>();
	#folderRead = false;

	constructor(settings: ParsedSlurmSettings, calls: SlurmCalls, clock: Clock) {
		this.#settings = settings;
		this.#calls = calls;
		this.#clock = clock;
	}

	paths(attemptId: string): SlurmPaths {
		return slurmPaths(this.#settings.folder, attemptId);
	}

	/** The request, from memory or file, for synchronous callers. */
	request(attemptId: string): StoredRequest | null {
		return this.#requests.get(attemptId) ?? readRequestSync(this.paths(attemptId));
	}

	/** Requests in a pool that are not known to have ended, so their slots are in use. */
	async holding(poolId: string): Promise<StoredRequest[]> {
		if (!this.#folderRead) await this.#read();
		const found: StoredRequest[] = [];
		// Does one pass. Every start calls it.
		for (const attempt of this.#latest.values()) if (attempt.request.poolId === poolId && isLive(attempt)) found.push(attempt.request);
		return found;
	}

	/** The attempt as last seen; undefined: not seen since this process started. */
	latest(attemptId: string): KnownAttempt | undefined {
		return this.#latest.get(attemptId);
	}

	/**
	 * The attempt by the folder and Slurm's last response.
	 * @throws if the folder does not exist: then nothing is known
	 */
	async #read(): Promise<KnownAttempt[]> {
		const names = await readdir(this.#settings.folder);
		const known = (await Promise.all(names.filter(isAttemptId).map((name) => this.one(name)))).filter((a) => a !== null);
		this.#folderRead = true;
		return known;
	}

	/**
	 * Queries Slurm about those that are due.
	 * @throws DriverError if it does not respond
	 */
	async all(): Promise<KnownAttempt[]> {
		const known = await this.#read();
		const due = known.filter((a) => this.#isDue(a)).sort((a, b) => this.#askedAt(a) - this.#askedAt(b));
		const asked = new Map<string, KnownAttempt>();
		const queue = due.slice(0, REQUESTS_MAX);
		const ask = async () => {
			for (let next = queue.shift(); next; next = queue.shift()) asked.set(next.request.attemptId, await this.ask(next));
		};
		await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, ask));
		return known.map((a) => asked.get(a.request.attemptId) ?? a);
	}

	async one(attemptId: string): Promise<KnownAttempt | null> {
		const latest = this.#latest.get(attemptId);
		// An ended attempt does not change any more.
		if (latest && !isLive(latest)) return latest;
		const paths = this.paths(attemptId);
		const request = this.#requests.get(attemptId) ?? (await readRequest(paths));
		if (request === null) return null;
		this.#requests.set(attemptId, request);
		return this.#known(paths, request, await readFacts(paths, request));
	}

	/**
	 * The same for an attempt to start. Once the folder was read, an attempt that is not cached does not exist, or is detected when
	 * its folder is created.
	 */
	async begun(attemptId: string): Promise<KnownAttempt | null> {
		return this.#folderRead && !this.#requests.has(attemptId) ? null : this.one(attemptId);
	}

	/** Adds an attempt with a new folder. */
	add(paths: SlurmPaths, request: StoredRequest): void {
		const { attemptId, slots } = request;
		this.#requests.set(attemptId, request);
		this.#known(paths, request, {
			attemptId,
			slots,
			folder: paths.folder,
			note: null,
			run: null,
			childAtMs: null,
			exit: null,
			stopByMs: null,
		});
	}

	/** Queries Slurm about one attempt now, and records the times that Slurm will forget. */
	async ask(attempt: KnownAttempt): Promise<KnownAttempt> {
		const { paths, request, facts } = attempt;
		if (facts.note === null) return attempt;
		const { slurmJobId } = facts.note;
		const found = await this.#calls.job(slurmJobId);
		// A controller that lost its state reuses numbers, so the job may belong to someone else.
		const job = found?.name === jobNameOf(request.attemptId) ? found : null;
		const nowMs = this.#clock.nowMs();
		const sight = sightOf(job, attempt, nowMs);
		this.#sights.set(request.attemptId, { sight, askedAtMs: nowMs });
		// Read after the response, so that everything written before the job's end is seen.
		const now = await readFacts(paths, request);
		const times = sight.kind === "job" && !sight.startedAgain ? sight.job : facts.note;
		const startedAtMs = times.startedAtMs ?? facts.note.startedAtMs;
		const note = {
			...facts.note,
			startedAtMs: startedAtMs === null ? null : Math.max(startedAtMs, facts.note.submittedAtMs),
			endedAtMs: times.endedAtMs ?? facts.note.endedAtMs,
		};
		if (note.startedAtMs !== facts.note.startedAtMs || note.endedAtMs !== facts.note.endedAtMs) await writeNote(paths, note);
		return this.#known(paths, request, { ...now, note });
	}

	drop(attemptId: string): void {
		this.#requests.delete(attemptId);
		this.#sights.delete(attemptId);
		this.#latest.delete(attemptId);
	}

	#known(paths: SlurmPaths, request: StoredRequest, facts: AttemptFacts): KnownAttempt {
		const sight = this.#sights.get(request.attemptId)?.sight ?? { kind: "unasked" as const };
		const observation = observationOf(facts, sight, { nowMs: this.#clock.nowMs(), settleMs: this.#settings.exitSettleMs });
		const known = { paths, request, facts, sight, observation };
		this.#latest.set(request.attemptId, known);
		return known;
	}

	#isDue(attempt: KnownAttempt): boolean {
		const { facts, sight } = attempt;
		if (facts.note === null || !isLive(attempt)) return false;
		const ageMs = this.#clock.nowMs() - this.#askedAt(attempt);
		// Start and end are reported with Slurm's times, which are queried as soon as the folder shows the event.
		const news = facts.exit !== null || (facts.childAtMs !== null && facts.note.startedAtMs === null);
		const waits = sight.kind !== "job" || sight.job.state !== "RUNNING";
		return news || ageMs >= (waits ? this.#settings.pendingPollMs : this.#settings.runningPollMs);
	}

	#askedAt(attempt: KnownAttempt): number {
		return this.#sights.get(attempt.request.attemptId)?.askedAtMs ?? Number.NEGATIVE_INFINITY;
	}
}
