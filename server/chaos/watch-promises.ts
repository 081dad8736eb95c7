import { setTimeout as sleep } from "node:timers/promises";
import { allPromises, brokenAfter } from "#server/control-loop/testing/promises/all.ts";
import { readObserved, recordStateChanges } from "#server/control-loop/testing/promises/observed.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import type { World } from "./world.ts";

/** Minimum real time between two checks. Longer when checks take long, so that they barely slow a run down. */
const LOOK_MS = 1_000;
const LOOK_SHARE = 0.02;

/**
 * Checks the guarantees about rows during a run. Machines and commands are compared at its end (checkers.ts), because they
 * cannot be read at the same instant as the rows.
 */
export class PromiseWatch {
	readonly #world: World;
	readonly #promises = allPromises();
	readonly #done = new AbortController();
	#watching: Promise<string[]> = Promise.resolve([]);

	constructor(world: World) {
		this.#world = world;
	}

	/** Call before submitting jobs. */
	async begin(): Promise<void> {
		await recordStateChanges(this.#world.admin);
		this.#watching = this.#watch();
		this.#watching.catch(() => {});
	}

	/** Checks one last time. Returns the first violations. */
	async end(): Promise<string[]> {
		this.#done.abort();
		const broken = await this.#watching;
		return broken.length > 0 ? broken : this.#look();
	}

	async #watch(): Promise<string[]> {
		while (!this.#done.signal.aborted) {
			const begunMs = performance.now();
			const broken = await this.#look();
			if (broken.length > 0) return broken;
			const pauseMs = Math.max(LOOK_MS, (performance.now() - begunMs) / LOOK_SHARE);
			await sleep(pauseMs, undefined, { signal: this.#done.signal }).catch(() => {});
		}
		return [];
	}

	async #look(): Promise<string[]> {
		const { admin, clock } = this.#world;
		const { policy } = await activePolicy(admin.db);
		const now = { nowMs: clock.nowMs(), healedAtMs: null, policy };
		return brokenAfter(this.#promises, await readObserved(admin.db, now, () => ({ machines: [], commands: [] })));
	}
}
