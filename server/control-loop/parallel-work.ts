import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";

/** Two, so that a small copy does not wait for a big one. They share the site's link. */
const MAX_PARALLEL = 2;
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 6 * HOUR_MS;

/** Long copies that run next to the control loop. The same id never runs twice at once. */
export class ParallelWork {
	readonly #busy = new Map<string, Promise<void>>();
	readonly #onError: (id: string, error: unknown) => void;

	constructor(onError: (id: string, error: unknown) => void) {
		this.#onError = onError;
	}

	/** Number of due rows to read so that free slots are filled although some of the rows are already running. */
	get readLimit(): number {
		return MAX_PARALLEL + this.#busy.size;
	}

	/** Starts work if a slot is free and the id is not running. */
	startIfFree(id: string, work: () => Promise<void>): void {
		if (this.#busy.size < MAX_PARALLEL) this.start(id, work);
	}

	/** Starts cheap work, unless the id is running. It needs no free slot. */
	start(id: string, work: () => Promise<void>): void {
		if (this.#busy.has(id)) return;
		const run = work()
			.catch((error: unknown) => this.#onError(id, error))
			.finally(() => this.#busy.delete(id));
		this.#busy.set(id, run);
	}

	/** Resolves when all started work has ended. */
	async done(): Promise<void> {
		await Promise.all(this.#busy.values());
	}
}

/** Time until the next try after so many failures in a row. */
export function retryPauseMs(failures: number): number {
	return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
