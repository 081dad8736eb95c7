import { setTimeout as sleep } from "node:timers/promises";

/** Asks until there is an answer other than null, undefined or false; the limit only ends a test that would fail. */
export async function eventually<T>(what: string, ask: () => T | Promise<T>, limitMs = 45_000): Promise<NonNullable<T>> {
	const until = performance.now() + limitMs;
	for (;;) {
		const answer = await ask();
		if (answer !== null && answer !== undefined && answer !== false) return answer;
		if (performance.now() > until) throw new Error(`waited ${limitMs} ms without success for ${what}`);
		await sleep(15);
	}
}
