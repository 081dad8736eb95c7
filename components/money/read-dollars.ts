import { usdToMicro } from "#server/kernel/money.ts";

/** An amount of dollars as a person types it, `$1,250.50`: as the services take it, and in micro-dollars; null when it is none. */
export function readDollars(typed: string): { usd: string; microUsd: bigint } | null {
	const usd = typed.trim().replace(/^\$/, "").replaceAll(",", "");
	// What caps may be; where less is allowed the service says so.
	return /^\d{1,12}(\.\d{1,6})?$/.test(usd) ? { usd, microUsd: usdToMicro(usd) } : null;
}
