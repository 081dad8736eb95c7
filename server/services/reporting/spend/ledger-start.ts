import { asc, eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { rollup } from "#server/db/schema/charge.ts";

/** Start of the first day with charges; null without charges. Earlier cost is unknown, not zero. */
export async function ledgerStartMs(ctx: { db: DbOrTx }): Promise<number | null> {
	const [first] = await ctx.db
		.select({ at: rollup.bucketStart })
		.from(rollup)
		.where(eq(rollup.granularity, "day"))
		.orderBy(asc(rollup.bucketStart))
		.limit(1);
	return first?.at.getTime() ?? null;
}
