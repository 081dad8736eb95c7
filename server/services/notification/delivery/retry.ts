/** Tries before a message is given up: about three hours with the default pauses. */
export const TRIES_MAX = 10;

/**
 * Time of the retry after the `tries`-th failure; null for never. Pauses double, and each is drawn from its upper half, so that messages
 * that failed together are not retried together.
 * @param random in [0, 1).
 */
export function nextTryMs(
	tries: number,
	nowMs: number,
	random: number,
	timing: { deliverRetryMs: number; deliverRetryMaxMs: number },
): number | null {
	if (tries >= TRIES_MAX) return null;
	const pause = Math.min(timing.deliverRetryMaxMs, timing.deliverRetryMs * 2 ** (tries - 1));
	return nowMs + Math.round(pause * (0.5 + random / 2));
}
