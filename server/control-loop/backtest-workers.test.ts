import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BacktestWorkers, IDLE_MS, NEXT_AFTER_MS, type WorkerProcess } from "./backtest-workers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type End = { failure: string | null };

/** Processes that work on a term until the test ends it. */
function fakes() {
	const started: { terms: string[]; killed: boolean; finish: (end: End) => void }[] = [];
	const workers = new BacktestWorkers((): WorkerProcess => {
		const process = { terms: [] as string[], killed: false, finish: (_: End): void => {} };
		started.push(process);
		const exit = Promise.withResolvers<End>();
		return {
			ended: exit.promise,
			run: ({ id }) => {
				process.terms.push(id);
				const over = Promise.withResolvers<End>();
				process.finish = over.resolve;
				return Promise.race([over.promise, exit.promise]);
			},
			kill: () => {
				process.killed = true;
				exit.resolve({ failure: null });
			},
		};
	});
	return { started, workers };
}

const term = (id: string) => ({ id, startedAtMs: 0 });

describe("backtest workers", () => {
	it("runs the next terms in the worker that was started ahead", async () => {
		const { started, workers } = fakes();
		workers.prepare();
		workers.prepare();
		for (const id of ["a", "b"]) {
			const { ended } = workers.spawn(term(id));
			started[0]?.finish({ failure: null });
			expect(await ended).toEqual({ failure: null });
		}
		expect(started.map(({ terms, killed }) => [terms, killed])).toEqual([[["a", "b"], false]]);
	});

	it("starts the next worker during a long term, so that an edit that stops it finds one ready", async () => {
		const { started, workers } = fakes();
		const { stop, ended } = workers.spawn(term("a"));
		await vi.advanceTimersByTimeAsync(NEXT_AFTER_MS);
		expect(started).toHaveLength(2);
		stop();
		await ended;
		workers.spawn(term("b"));
		expect(started.map(({ terms, killed }) => [terms, killed])).toEqual([
			[["a"], true],
			[["b"], false],
		]);
	});

	it("keeps the worker that has run a term when two are unused, and ends it after five minutes", async () => {
		const { started, workers } = fakes();
		const { ended } = workers.spawn(term("a"));
		await vi.advanceTimersByTimeAsync(NEXT_AFTER_MS);
		started[0]?.finish({ failure: null });
		await ended;
		expect(started.map(({ killed }) => killed)).toEqual([false, true]);
		await vi.advanceTimersByTimeAsync(IDLE_MS);
		expect(started.map(({ killed }) => killed)).toEqual([true, true]);
	});

	it("does not reuse a worker that failed or ended while unused", async () => {
		const { started, workers } = fakes();
		const { ended } = workers.spawn(term("a"));
		started[0]?.finish({ failure: "Its worker ended with exit code 1." });
		expect(await ended).toEqual({ failure: "Its worker ended with exit code 1." });
		workers.spawn(term("b"));
		expect(started.map(({ terms }) => terms)).toEqual([["a"], ["b"]]);
	});
});
