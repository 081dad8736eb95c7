import { and, asc, eq, lt } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { policyPublication, policyVersion } from "#server/db/schema/policy.ts";
import type { Policy } from "#server/domain/policy.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";

/**
 * A look-up of policies in force before a given instant, UTC ms: for another instant, it returns the policy in force just before it,
 * whether published or rolled back to; null before the first. Cost: each publication's text.
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
