import { setTimeout as sleep } from "node:timers/promises";

/** Polls until the result is not null, undefined or false. The time limit only ends a test that would fail anyway. */
export async function eventually<T>(what: string, ask: () => T | Promise<T>, limitMs = 600_000): Promise<NonNullable<T>> {
	const until = performance.now() + limitMs;
	for (;;) {
		const answer = await ask();
		if (answer !== null && answer !== undefined && answer !== false) return answer;
		if (performance.now() > until) throw new Error(`waited ${limitMs} ms without success for ${what}`);
		await sleep(15);
	}
}
