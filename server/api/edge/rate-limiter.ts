import { SpillwayError } from "#server/kernel/errors.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

const KEYS_MAX = 20_000;

export interface RateState {
	limit: number;
	remaining: number;
	/** Time until the window ends, s. */
	resetSeconds: number;
}

/** Requests per key and minute, in this process. Sign-in attempts are counted in the database instead (auth/rate-window). */
export class RateLimiter {
	readonly #limit: number;
	readonly #windows = new Map<string, { startMs: number; used: number }>();

	constructor(limitPerMinute: number) {
		this.#limit = limitPerMinute;
	}

	/**
	 * Counts a request.
	 * @throws SpillwayError `too_many_requests`
	 */
	take(key: string, nowMs: number): RateState {
		const known = this.#windows.get(key);
		const isOver = known === undefined || nowMs - known.startMs >= MINUTE_MS || nowMs < known.startMs;
		const window = isOver ? { startMs: nowMs, used: 0 } : known;
		window.used++;
		if (isOver) {
			if (this.#windows.size >= KEYS_MAX) this.#forgetOld(nowMs);
			this.#windows.set(key, window);
		}
		const resetSeconds = Math.max(1, Math.ceil((window.startMs + MINUTE_MS - nowMs) / 1_000));
		const remaining = this.#limit - window.used;
		if (remaining < 0) throw new RateLimitError({ limit: this.#limit, remaining: 0, resetSeconds });
		return { limit: this.#limit, remaining, resetSeconds };
	}

	/** Removes ended windows first, then the oldest: a Map keeps insertion order. */
	#forgetOld(nowMs: number): void {
		for (const [key, { startMs }] of this.#windows) if (nowMs - startMs >= MINUTE_MS) this.#windows.delete(key);
		for (const key of this.#windows.keys()) {
			if (this.#windows.size < KEYS_MAX) break;
			this.#windows.delete(key);
		}
	}
}

export class RateLimitError extends SpillwayError {
	readonly state: RateState;
	constructor(state: RateState) {
		super("too_many_requests", `More than ${state.limit} requests in a minute.`, { fix: `Try again in ${state.resetSeconds} s.` });
		this.state = state;
	}
}

/** draft-ietf-httpapi-ratelimit-headers: `q` quota, `w` window, `r` remaining, `t` seconds until it is reset. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateState): Record<string, string> {
	return { "ratelimit-policy": `"default";q=${limit};w=60`, ratelimit: `"default";r=${remaining};t=${resetSeconds}` };
}
