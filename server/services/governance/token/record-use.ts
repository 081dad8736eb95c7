import { eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { apiToken } from "#server/db/schema/account.ts";

/** Records when a token was last used. */
export async function recordTokenUse(db: Db, tokenId: string, nowMs: number): Promise<void> {
	await db
		.update(apiToken)
		.set({ lastUsedAt: new Date(nowMs) })
		.where(eq(apiToken.id, tokenId));
}
