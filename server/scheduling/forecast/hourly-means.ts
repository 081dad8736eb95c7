import { HOUR_MS } from "#server/kernel/units.ts";

/**
 * Time-weighted mean of a step function over each full UTC hour from its first step to `untilMs`, by the start of the hour. `steps` in time
 * order.
 */
export function hourlyMeans(steps: readonly { atMs: number; value: number }[], untilMs: number): Map<number, number> {
	const sums = new Map<number, number>();
	const firstMs = Math.ceil((steps[0]?.atMs ?? untilMs) / HOUR_MS) * HOUR_MS;
	for (const [i, { atMs, value }] of steps.entries()) {
		const endMs = Math.min(untilMs, steps[i + 1]?.atMs ?? untilMs);
		let fromMs = Math.max(atMs, firstMs);
		while (fromMs < endMs) {
			const hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
			const toMs = Math.min(endMs, hourMs + HOUR_MS);
			sums.set(hourMs, (sums.get(hourMs) ?? 0) + (value * (toMs - fromMs)) / HOUR_MS);
			fromMs = toMs;
		}
	}
	// The hour of untilMs is not over.
	sums.delete(Math.floor(untilMs / HOUR_MS) * HOUR_MS);
	return sums;
}
