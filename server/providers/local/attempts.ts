import { readdir } from "node:fs/promises";
import { defined } from "#server/kernel/assert.ts";
import type { AttemptObservation } from "../driver.ts";
import { isAttemptId } from "../start-rules.ts";
import { type AttemptFolder, attemptFolder, isMissing, readRequest, readRequestSync, type StoredRequest } from "./attempt-folder.ts";
import { endProcessesOf, uidOf } from "./job-user.ts";
import { type AttemptStage, observationOf, readStage } from "./observe-attempt.ts";
import { kill, killLeftovers } from "./process-tree.ts";

export interface KnownAttempt {
	paths: AttemptFolder;
	request: StoredRequest;
	stage: AttemptStage;
	observation: AttemptObservation;
}

/** The attempts in the site's folder. The cache only avoids reading data again that cannot change. */
export class Attempts {
	readonly #root: string;
	readonly #hasOtherUsers: boolean;
	readonly #requests = new Map<string, StoredRequest>();
	/** Ended attempts without any remaining process. */
	readonly #over = new Map<string, KnownAttempt>();

	constructor(root: string, { hasOtherUsers }: { hasOtherUsers: boolean }) {
		this.#root = root;
		this.#hasOtherUsers = hasOtherUsers;
	}

	paths(attemptId: string): AttemptFolder {
		return attemptFolder(this.#root, attemptId);
	}

	async all(): Promise<KnownAttempt[]> {
		const names = await readdir(this.#root).catch((error: unknown) => {
			// Before the first start it does not exist. If it is missing later, it was moved or unmounted, which says nothing about its
			// attempts.
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

	/** The request, from memory or file, for synchronous callers. */
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
		// The recorded stager changes until the command starts; after that it stays the same.
		const request = this.#requests.get(attemptId) ?? (await readRequest(paths));
		if (request === null) return null;
		const stage = await readStage(paths);
		if (stage.kind !== "before") this.#requests.set(attemptId, request);
		return { paths, request, stage, observation: observationOf(request, stage, false) };
	}

	/** An end is reported, and its slots are freed, only when none of its processes is left. */
	async #settle(known: KnownAttempt[]): Promise<KnownAttempt[]> {
		const ended = known.filter((a) => (a.stage.kind === "exited" || a.stage.kind === "lost") && !this.#over.has(a.request.attemptId));
		for (const { stage } of ended) if (stage.kind === "lost" && stage.group !== null) kill(-stage.group, "SIGKILL");
		if (this.#hasOtherUsers) await Promise.all(ended.map(({ paths }) => endProcessesOf(uidOf(paths))));
		const left = await killLeftovers(ended.map((a) => a.paths.work));
		for (const attempt of ended) {
			if (left.has(attempt.paths.work)) continue;
			attempt.observation = observationOf(attempt.request, attempt.stage, true);
			this.#over.set(attempt.request.attemptId, attempt);
		}
		return known;
	}
}
