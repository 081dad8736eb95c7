import { formatDuration, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";

/** "about 12m left", from the pace so far; null before the first progress. Whole minutes, and seconds in the last one. */
export function timeLeft(share: number, tookMs: number): string | null {
	if (share <= 0 || tookMs <= 0) return null;
	const leftMs = (tookMs * (1 - share)) / share;
	const unit = leftMs > MINUTE_MS ? MINUTE_MS : SECOND_MS;
	return `about ${formatDuration(Math.ceil(leftMs / unit) * unit)} left`;
}
