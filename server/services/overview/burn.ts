import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { MARGINAL_PRICE } from "#server/services/capacity/instance/marginal-price.ts";

/** Minimum distance between points, so that a busy day still gives a small response. */
const STEP_MS = 15 * 60_000;

/**
 * The clouds' hourly price over the last 24 hours, at the end of each quarter of an hour: the sum of the prices of machines billed at that
 * time. Cost: the machines of that day, once each.
 */
export async function burnOfDay(db: Db, nowMs: number): Promise<{ atMs: number; microUsdPerHour: string }[]> {
	const from = new Date(nowMs - DAY_MS).toISOString();
	const rows = await db.execute<{ s: string; e: string | null; price: string }>(sql`
		select extract(epoch from billed_from) * 1000 as s, extract(epoch from billed_until) * 1000 as e, (${MARGINAL_PRICE})::text as price
		from instance where billed_from is not null and (billed_until is null or billed_until > ${from}::timestamptz)`);
	const machines = rows.map((r) => ({
		fromMs: Number(r.s),
		toMs: r.e === null ? Number.POSITIVE_INFINITY : Number(r.e),
		price: BigInt(r.price),
	}));
	return Array.from({ length: DAY_MS / STEP_MS }, (_, i) => {
		const atMs = nowMs - DAY_MS + (i + 1) * STEP_MS;
		const sum = machines.reduce((total, m) => (m.fromMs <= atMs && atMs < m.toMs ? total + m.price : total), 0n);
		return { atMs, microUsdPerHour: sum.toString() };
	});
}
