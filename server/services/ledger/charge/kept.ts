import { and, eq, isNull } from "drizzle-orm";
import { type KeptStorage, keptStorage } from "#server/accounting/storage-cost.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { currentStorePrices } from "#server/services/pricing/store/prices.ts";

/** Results that stores keep for a job, at current prices; null when there are none. */
export async function keptOf(db: DbOrTx, jobId: string): Promise<KeptStorage | null> {
	const rows = await db
		.select({ bytes: artifact.bytes, storeId: artifact.storeId, expiresAt: artifact.expiresAt })
		.from(artifact)
		.where(and(eq(artifact.jobId, jobId), isNull(artifact.deletedAt)));
	if (rows.length === 0) return null;
	const prices = await currentStorePrices(db);
	return keptStorage(
		rows.map(({ bytes, storeId, expiresAt }) => ({
			bytes,
			microUsdPerGiBMonth: prices.get(storeId ?? EMBEDDED_STORE)?.microUsdPerGiBMonth ?? null,
			untilMs: expiresAt?.getTime() ?? null,
		})),
	);
}
