import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { commitmentsBehind } from "#server/services/ledger/charge/commitment-progress.ts";

/** Machines, pools, commitments and stored results with uncharged time before this moment, for example after a scheduler outage. */
export async function meterLag(db: DbOrTx, toMs: number): Promise<number> {
	const to = new Date(toMs).toISOString();
	const [row] = await db.execute<{ lag: number }>(sql`
		select ((select count(*) from pool where owned_since < ${to}::timestamptz
				and (idle_metered_until is null or idle_metered_until < ${to}::timestamptz))
			+ (select count(*) from instance where billed_from is not null and billed_from < ${to}::timestamptz
				and (metered_until is null or billed_until is null or metered_until <> billed_until)
				and coalesce(metered_until, billed_from) < ${to}::timestamptz)
			+ (select count(*) from artifact where created_at < ${to}::timestamptz
				and coalesce(metered_until, created_at) < least(coalesce(deleted_at, ${to}::timestamptz), ${to}::timestamptz)))::int as lag`);
	return (row?.lag ?? 0) + (await commitmentsBehind(db, toMs));
}
