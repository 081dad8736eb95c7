import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";

const LIMIT_MS = 60_000;
const POLL_MS = 250;

/**
 * Reads again and again until it holds, and answers what was read then.
 * @throws Error with what was waited for and what was read last.
 */
export async function eventually<T>(
	what: string,
	read: () => Promise<T>,
	holds: (value: T) => boolean,
	limitMs: number = LIMIT_MS,
): Promise<T> {
	const giveUpAt = performance.now() + limitMs;
	for (;;) {
		const value = await read();
		if (holds(value)) return value;
		if (performance.now() > giveUpAt)
			throw new Error(
				`waited ${limitMs / 1_000} s without success until ${what}; read last: ${inspect(value, { depth: 6, maxStringLength: 2_000 })}`,
			);
		await pause(POLL_MS);
	}
}
