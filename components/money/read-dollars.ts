import { usdToMicro } from "#server/kernel/money.ts";

/** Parses a typed dollar amount such as `$1,250.50` into the service format and micro-dollars; null if invalid. */
export function readDollars(typed: string): { usd: string; microUsd: bigint } | null {
	const usd = typed.trim().replace(/^\$/, "").replaceAll(",", "");
	// The allowed range of caps; the service reports stricter limits.
	return /^\d{1,12}(\.\d{1,6})?$/.test(usd) ? { usd, microUsd: usdToMicro(usd) } : null;
}
