import { sql } from "drizzle-orm";
import type { Change } from "../domain/change.ts";
import type { DbOrTx } from "./client.ts";

/** Wakes the control loop after a change that affects decisions. */
export const WAKE_CHANNEL = "spillway_wake";
/** Notifies schedulers that a site was added, changed or removed. */
export const SITES_CHANNEL = "spillway_sites";
/** Notifies schedulers that a backtest or plan study was requested or cancelled. */
export const BACKGROUND_CHANNEL = "spillway_background";
/** Its payload when a backtest is likely to be requested soon. */
export const BACKTEST_SOON = "backtest_soon";
/** Notifies browsers of what to reload; the payload is a JSON `Change`. */
export const CHANGE_CHANNEL = "spillway_change";

/** Sent when the transaction commits, never when it rolls back. PostgreSQL removes duplicate payloads within a transaction. */
export async function notify(
	tx: DbOrTx,
	options: { wake?: boolean; sites?: boolean; background?: boolean; backtestSoon?: boolean; changes?: readonly Change[] },
): Promise<void> {
	const parts = (options.changes ?? []).map((c) => sql`pg_notify(${CHANGE_CHANNEL}, ${JSON.stringify(c)})`);
	if (options.sites) parts.push(sql`pg_notify(${SITES_CHANNEL}, '')`);
	if (options.background) parts.push(sql`pg_notify(${BACKGROUND_CHANNEL}, '')`);
	if (options.backtestSoon) parts.push(sql`pg_notify(${BACKGROUND_CHANNEL}, ${BACKTEST_SOON})`);
	if (options.wake) parts.push(sql`pg_notify(${WAKE_CHANNEL}, '')`);
	if (parts.length > 0) await tx.execute(sql`select ${sql.join(parts, sql`, `)}`);
}
