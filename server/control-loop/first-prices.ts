import { SECOND_MS } from "#server/kernel/units.ts";

/** The longest wait for a cloud that does not respond. */
const LIMIT_MS = 15 * SECOND_MS;

/**
 * Tracks whether each cloud's prices were read in this term, or failed. Before that, a launch could go to the more
 * expensive of two clouds only because it responded first.
 */
export class FirstPrices {
	readonly #awaited: Set<string>;
	readonly #untilMs: number;

	/** @param nowMs start of the term */
	constructor(siteIds: Iterable<string>, nowMs: number) {
		this.#awaited = new Set(siteIds);
		this.#untilMs = nowMs + LIMIT_MS;
	}

	/** The site's prices were read, or failed. */
	settle(siteId: string): void {
		this.#awaited.delete(siteId);
	}

	areIn(nowMs: number): boolean {
		return this.#awaited.size === 0 || nowMs >= this.#untilMs;
	}
}
