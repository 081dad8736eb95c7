import { MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { Term } from "#server/services/decision/background/table.ts";
import type { BackgroundWorker } from "#server/services/decision/background/tend.ts";

/** An unused worker ends after this time. */
export const IDLE_MS = 5 * MINUTE_MS;
/** After this time in one term, the next worker starts: the next edit stops the current one. */
export const NEXT_AFTER_MS = 3 * SECOND_MS;

/** A process that runs one term after another. */
export interface WorkerProcess {
	/** Resolves when the term is over, with `failure` when the process failed. */
	run(term: Term): Promise<{ failure: string | null }>;
	kill(): void;
	/** Resolves when the process has ended. */
	ended: Promise<unknown>;
}

/** Keeps a backtest worker ready while someone edits a policy, because loading the program takes longer than a month's replay. */
export class BacktestWorkers {
	readonly #start: () => WorkerProcess;
	#ready: WorkerProcess | null = null;
	#idle: NodeJS.Timeout | undefined;

	constructor(start: () => WorkerProcess) {
		this.#start = start;
	}

	/** Starts a worker unless one is ready, and keeps it for `IDLE_MS`. */
	prepare(): void {
		this.#keep(this.#ready ?? this.#start());
	}

	/** Runs a term in the ready worker, or in a new one. */
	spawn(term: Term): BackgroundWorker {
		const worker = this.#ready ?? this.#start();
		this.#ready = null;
		const next = setTimeout(() => this.prepare(), NEXT_AFTER_MS);
		let stopped = false;
		const ended = worker.run(term).then((end) => {
			clearTimeout(next);
			if (stopped || end.failure !== null) return end;
			// Its code is compiled and its sample kept; the next one may still be loading.
			if (this.#ready !== worker) this.#ready?.kill();
			this.#keep(worker);
			return end;
		});
		const stop = (): void => {
			stopped = true;
			clearTimeout(next);
			worker.kill();
		};
		return { stop, ended };
	}

	/** Ends the worker that is ready. */
	close(): void {
		clearTimeout(this.#idle);
		this.#ready?.kill();
		this.#ready = null;
	}

	#keep(worker: WorkerProcess): void {
		const isNew = this.#ready !== worker;
		this.#ready = worker;
		clearTimeout(this.#idle);
		this.#idle = setTimeout(() => this.close(), IDLE_MS);
		if (isNew) {
			void worker.ended.then(() => {
				if (this.#ready === worker) this.#ready = null;
			});
		}
	}
}
