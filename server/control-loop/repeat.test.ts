import { expect, it } from "vitest";
import { repeat } from "./repeat.ts";

it("retries a failed task soon, and not only when it is due", async () => {
	const stop = new AbortController();
	const errors: unknown[] = [];
	let runs = 0;
	const succeeded = new Promise<void>((resolve) => {
		const run = async (): Promise<void> => {
			runs++;
			if (runs === 1) throw new Error("no answer");
			resolve();
		};
		repeat({ everyMs: 24 * 3_600_000, minGapMs: 1, run, onError: (error) => errors.push(error), signal: stop.signal });
	});
	await succeeded;
	stop.abort();
	expect([runs, errors.length]).toEqual([2, 1]);
});

/** The errors reported for a run that fails with `error` once its task has been stopped. */
async function errorsAfterStop(error: (signal: AbortSignal) => unknown): Promise<unknown[]> {
	const stop = new AbortController();
	const errors: unknown[] = [];
	const run = async (): Promise<void> => {
		stop.abort();
		throw error(stop.signal);
	};
	await repeat({ everyMs: 24 * 3_600_000, minGapMs: 1, run, onError: (each) => errors.push(each), signal: stop.signal }).done;
	return errors;
}

it("reports no error for a run that was stopped, but reports other errors of that run", async () => {
	expect(await errorsAfterStop((signal) => signal.reason)).toEqual([]);
	expect(await errorsAfterStop(() => new DOMException("The operation was aborted", "AbortError"))).toEqual([]);
	const lost = new Error("connection lost");
	expect(await errorsAfterStop(() => lost)).toEqual([lost]);
});
