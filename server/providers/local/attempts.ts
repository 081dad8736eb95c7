import { readdir } from "node:fs/promises";
import { defined } from "#server/kernel/assert.ts";
import type { AttemptObservation } from "../driver.ts";
import { isAttemptId } from "../start-rules.ts";
import { type AttemptFolder, attemptFolder, isMissing, readRequest, readRequestSync, type StoredRequest } from "./attempt-folder.ts";
import { type AttemptStage, observationOf, readStage } from "./observe-attempt.ts";
import { kill, killLeftovers } from "./process-tree.ts";

export interface KnownAttempt {
	paths: AttemptFolder;
	request: StoredRequest;
	stage: AttemptStage;
	observation: AttemptObservation;
}

/** The attempts in the site's folder. What is remembered here only saves reading again what cannot change any more. */
export class Attempts {
	readonly #root: string;
	readonly #requests = new Map<string, StoredRequest>();
	/** Ended attempts without any process left. */
	readonly #over = new Map<string, KnownAttempt>();

	constructor(root: string) {
		this.#root = root;
	}

	paths(attemptId: string): AttemptFolder {
		return attemptFolder(this.#root, attemptId);
	}

	async all(): Promise<KnownAttempt[]> {
		const names = await readdir(this.#root).catch((error: unknown) => {
			// Before the first start there is none; later it was moved or unmounted, and says nothing of the attempts in it.
			if (isMissing(error) && this.#requests.size === 0) return [];
			throw error;
		});
		const known = await Promise.all(names.filter(isAttemptId).map((name) => this.#read(name)));
		return this.#settle(known.filter((a) => a !== null));
	}

	async one(attemptId: string): Promise<KnownAttempt | null> {
		const known = isAttemptId(attemptId) ? await this.#read(attemptId) : null;
		return known && defined((await this.#settle([known]))[0], "attempt");
	}

	/** The request, from memory or file, for callers that cannot wait. */
	request(attemptId: string): StoredRequest | null {
		if (!isAttemptId(attemptId)) return null;
		return this.#requests.get(attemptId) ?? readRequestSync(this.paths(attemptId));
	}

	drop(attemptId: string): void {
		this.#requests.delete(attemptId);
		this.#over.delete(attemptId);
	}

	async #read(attemptId: string): Promise<KnownAttempt | null> {
		const over = this.#over.get(attemptId);
		if (over) return over;
		const paths = this.paths(attemptId);
		// The stager in it changes while nothing has been started; afterwards it stays as it is.
		const request = this.#requests.get(attemptId) ?? (await readRequest(paths));
		if (request === null) return null;
		const stage = await readStage(paths);
		if (stage.kind !== "before") this.#requests.set(attemptId, request);
		return { paths, request, stage, observation: observationOf(request, stage, false) };
	}

	/** An end is reported, and its slots are free, only when none of its processes is left. */
	async #settle(known: KnownAttempt[]): Promise<KnownAttempt[]> {
		const ended = known.filter((a) => (a.stage.kind === "exited" || a.stage.kind === "lost") && !this.#over.has(a.request.attemptId));
		for (const { stage } of ended) if (stage.kind === "lost" && stage.group !== null) kill(-stage.group, "SIGKILL");
		const left = await killLeftovers(ended.map((a) => a.paths.work));
		for (const attempt of ended) {
			if (left.has(attempt.paths.work)) continue;
			attempt.observation = observationOf(attempt.request, attempt.stage, true);
			this.#over.set(attempt.request.attemptId, attempt);
		}
		return known;
	}
}
