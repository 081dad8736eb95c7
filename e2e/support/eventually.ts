import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";

const LIMIT_MS = 300_000;
const POLL_MS = 250;

/**
 * Polls until the condition holds, and returns the last value.
 * @throws Error with the condition and the last value
 */
export async function eventually<T>(what: string, read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
	const giveUpAt = performance.now() + LIMIT_MS;
	for (;;) {
		const value = await read();
		if (holds(value)) return value;
		if (performance.now() > giveUpAt)
			throw new Error(
				`waited ${LIMIT_MS / 1_000} s without success until ${what}; read last: ${inspect(value, { depth: 6, maxStringLength: 2_000 })}`,
			);
		await pause(POLL_MS);
	}
}
