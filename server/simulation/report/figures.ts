import { formatDuration, MINUTE_MS } from "#server/kernel/units.ts";

/** Seconds as `1d4h`, `3h12m`, `4m30s` or `12s`: two units are enough. */
export function duration(seconds: number): string {
	const ms = Math.round(seconds) * 1000;
	if (ms < 60 * MINUTE_MS) return formatDuration(ms);
	const unit = ms < 24 * 60 * MINUTE_MS ? MINUTE_MS : 60 * MINUTE_MS;
	return formatDuration(Math.round(ms / unit) * unit);
}

/** Separates thousands; only small figures get decimals. */
export function count(value: number): string {
	const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 2;
	return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
