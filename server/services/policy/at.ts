import { and, asc, eq, lt } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { policyPublication, policyVersion } from "#server/db/schema/policy.ts";
import type { Policy } from "#server/domain/policy.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";

/**
 * The policies that were in force before an instant, UTC ms, as a look-up: of another instant, the one that was in force just
 * before it, by a publication or a return to an older version; null before the first. Cost: each publication's text.
 */
export async function policiesBefore(db: DbOrTx, beforeMs: number): Promise<(atMs: number) => Policy | null> {
	const moves = await db
		.select({ at: policyPublication.publishedAt, source: policyVersion.source })
		.from(policyPublication)
		.innerJoin(policyVersion, and(eq(policyVersion.name, policyPublication.name), eq(policyVersion.version, policyPublication.version)))
		.where(and(eq(policyPublication.name, DEFAULT_POLICY), lt(policyPublication.publishedAt, new Date(beforeMs))))
		.orderBy(asc(policyPublication.publishedAt), asc(policyPublication.id));
	return (atMs) => {
		const last = moves.findLast((move) => move.at.getTime() < atMs);
		return last ? (parseStoredPolicy(last.source).policy ?? null) : null;
	};
}
