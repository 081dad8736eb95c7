import { desc } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { auditSeal } from "#server/db/schema/audit-seal.ts";

/** The latest hash of the chain: anyone who saved it can later show that entries were deleted or rewritten. */
export interface ChainHead {
	/** Number of sealed entries. */
	sequence: number;
	hash: string;
	sealedAt: string;
}

/** null before the first seal. */
export async function readHead(db: DbOrTx): Promise<ChainHead | null> {
	const [row] = await db.select().from(auditSeal).orderBy(desc(auditSeal.sequence)).limit(1);
	return row ? { sequence: row.sequence, hash: row.hash, sealedAt: row.sealedAt.toISOString() } : null;
}
