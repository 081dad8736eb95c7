export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** The end of year 9999, UTC. Later times have ISO 8601 texts with more than four year digits, which databases reject. */
export const LAST_INSTANT_MS = 253_402_300_799_999;
/** Bytes. */
export const GIB = 1024 ** 3;

const UNIT_MS: Record<string, number> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/**
 * Milliseconds of a duration such as "90s", "15m", "6h", "1h30m" or "2d". A unit is required. Returns null for any
 * other text.
 */
export function parseDurationMs(text: string): number | null {
	const compact = text.trim().toLowerCase();
	if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(compact)) return null;
	let total = 0;
	for (const [, amount, unit] of compact.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit ?? ""] ?? Number.NaN);
	return Number.isFinite(total) ? Math.round(total) : null;
}

/** "6h", "1h30m", "45s": the form that parseDurationMs reads. Rounded to the millisecond; negative values start with a minus. */
export function formatDuration(ms: number): string {
	let rest = Math.round(Math.abs(ms));
	if (rest === 0) return "0s";
	if (!Number.isFinite(rest)) return "endless";
	if (ms < 0) return `-${formatDuration(rest)}`;
	let text = "";
	for (const [unit, size] of [
		["d", DAY_MS],
		["h", HOUR_MS],
		["m", MINUTE_MS],
		["s", SECOND_MS],
		["ms", 1],
	] as const) {
		const count = Math.floor(rest / size);
		if (count > 0) text += `${count}${unit}`;
		rest -= count * size;
	}
	return text;
}
