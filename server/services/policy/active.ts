import { and, eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { policy, policyVersion } from "#server/db/schema/policy.ts";
import type { Policy } from "#server/domain/policy.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";

export interface ActivePolicy {
	policy: Policy;
	version: number;
	source: string;
	author: string;
	message: string;
	createdAt: Date;
}

/** Versions never change, so parsed ones are cached. */
const parsed = new Map<string, Policy>();

/**
 * The policy in force, as accepted when it was published.
 * @throws SpillwayError `unavailable` when none was published yet.
 */
export async function activePolicy(db: DbOrTx, name: string = DEFAULT_POLICY): Promise<ActivePolicy> {
	const [row] = await db
		.select({
			version: policyVersion.version,
			source: policyVersion.source,
			author: policyVersion.author,
			message: policyVersion.message,
			createdAt: policyVersion.createdAt,
		})
		.from(policy)
		.innerJoin(policyVersion, and(eq(policyVersion.name, policy.name), eq(policyVersion.version, policy.activeVersion)))
		.where(eq(policy.name, name));
	if (!row)
		throw new SpillwayError(name === DEFAULT_POLICY ? "unavailable" : "not_found", `No policy "${name}" is published yet.`, {
			fix: "Publish one.",
		});
	const key = row.source;
	let value = parsed.get(key);
	if (!value) {
		const result = parseStoredPolicy(row.source);
		if (!result.policy)
			throw new SpillwayError(
				"unavailable",
				`The published policy "${name}" version ${row.version} cannot be read: ${result.problems[0]?.message ?? "unknown"}`,
			);
		value = result.policy;
		if (parsed.size > 50) parsed.clear();
		parsed.set(key, value);
	}
	return { ...row, policy: value };
}
