import { SECOND_MS } from "#server/kernel/units.ts";

/** A cloud that hangs holds the others back no longer than this. */
const LIMIT_MS = 15 * SECOND_MS;

/**
 * Whether each cloud's prices were read in this term, or could not be. Until then a launch could go to the dearer of two
 * clouds for no other reason than that it answered first.
 */
export class FirstPrices {
	readonly #awaited: Set<string>;
	readonly #untilMs: number;

	/** @param nowMs the beginning of the term */
	constructor(siteIds: Iterable<string>, nowMs: number) {
		this.#awaited = new Set(siteIds);
		this.#untilMs = nowMs + LIMIT_MS;
	}

	/** The site's prices were read, or it was heard why not. */
	settle(siteId: string): void {
		this.#awaited.delete(siteId);
	}

	areIn(nowMs: number): boolean {
		return this.#awaited.size === 0 || nowMs >= this.#untilMs;
	}
}
