import { DAY_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "../context.ts";
import { spendBy } from "./spend-by.ts";
import { NO_SPEND, type SpendSums } from "./sums.ts";

export interface SpendDay extends SpendSums {
	/** Start of the UTC day. */
	dayStartMs: number;
}

/**
 * Every UTC day that the range touches, in order, with what was spent on it within the range; a day without charges has
 * zeros, because the ledger knows that there were none.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendByDay(ctx: Pick<ServiceContext, "actor" | "db">, input: { fromMs: number; toMs: number }): Promise<SpendDay[]> {
	const { fromMs, toMs, items } = await spendBy(ctx, { ...input, groupBy: "day" });
	const byDay = new Map(items.map(({ key, ...sums }): [number, SpendSums] => [Date.parse(`${key}T00:00:00Z`), sums]));
	const days: SpendDay[] = [];
	for (let dayStartMs = Math.floor(fromMs / DAY_MS) * DAY_MS; dayStartMs < toMs; dayStartMs += DAY_MS) {
		days.push({ dayStartMs, ...(byDay.get(dayStartMs) ?? NO_SPEND) });
	}
	return days;
}
