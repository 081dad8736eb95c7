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
