/** Consecutive responses that must omit something before it counts as deleted, because any one of them may be incomplete. */
const ANSWERS_MIN = 3;

/**
 * Counts how often in a row valid responses omitted something. No single response proves that something no longer exists: a list
 * may lag, and a shared folder or a cache may be read halfway. Kept in memory, so counting starts again after a restart.
 */
export class Absences {
	readonly #left = new Map<string, { sinceMs: number; answers: number }>();

	/** Call when a response contains it, or when it is no longer tracked. */
	clear(id: string): void {
		this.#left.delete(id);
	}

	/** Stops tracking everything that is not among these. */
	keepOnly(ids: ReadonlySet<string>): void {
		for (const id of this.#left.keys()) if (!ids.has(id)) this.#left.delete(id);
	}

	/**
	 * Records that a valid response omitted it. Returns true once enough responses have, for long enough.
	 * @param at.sinceMs time of the first omission, if recorded
	 * @param at.forMs how long omissions must last
	 */
	leftOut(id: string, at: { nowMs: number; forMs: number; sinceMs?: number }): boolean {
		const entry = this.#left.get(id) ?? { sinceMs: at.sinceMs ?? at.nowMs, answers: 0 };
		entry.answers += 1;
		this.#left.set(id, entry);
		return entry.answers >= ANSWERS_MIN && at.nowMs - entry.sinceMs >= at.forMs;
	}
}
