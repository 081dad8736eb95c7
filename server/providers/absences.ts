/** Answers in a row that must leave something out before it is believed gone: any one of them may be incomplete. */
const ANSWERS_MIN = 3;

/**
 * What good answers have left out, and how often in a row. No single answer proves that something no longer exists: a list may lag, and a
 * shared folder or a cache be read halfway. Kept in memory, so that after a restart the answers are counted again.
 */
export class Absences {
	readonly #left = new Map<string, { sinceMs: number; answers: number }>();

	/** An answer showed it, or no one asks after it any more. */
	clear(id: string): void {
		this.#left.delete(id);
	}

	/** What is not among these is asked after no more. */
	keepOnly(ids: ReadonlySet<string>): void {
		for (const id of this.#left.keys()) if (!ids.has(id)) this.#left.delete(id);
	}

	/**
	 * A good answer left it out. True when enough of them have, for long enough.
	 * @param at.sinceMs when the first one did, where that is written down @param at.forMs for how long they must
	 */
	leftOut(id: string, at: { nowMs: number; forMs: number; sinceMs?: number }): boolean {
		const entry = this.#left.get(id) ?? { sinceMs: at.sinceMs ?? at.nowMs, answers: 0 };
		entry.answers += 1;
		this.#left.set(id, entry);
		return entry.answers >= ANSWERS_MIN && at.nowMs - entry.sinceMs >= at.forMs;
	}
}
