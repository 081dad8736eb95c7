import { and, eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { policy, policyVersion } from "#server/db/schema/policy.ts";
import type { Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";

export type VersionRow = typeof policyVersion.$inferSelect;
export type PointerRow = typeof policy.$inferSelect;

/** @throws SpillwayError `not_found` */
export async function fetchVersion(db: DbOrTx, name: string, version: number): Promise<VersionRow> {
	const [row] = await db
		.select()
		.from(policyVersion)
		.where(and(eq(policyVersion.name, name), eq(policyVersion.version, version)));
	if (row) return row;
	throw new SpillwayError("not_found", `The policy "${name}" has no version ${version}.`, {
		fix: `spillway policy versions and GET /policies/${name}/versions list the versions.`,
	});
}

/** The version in force, and where the policy is kept; null when none was published. */
export async function fetchPointer(db: DbOrTx, name: string): Promise<PointerRow | null> {
	const [row] = await db.select().from(policy).where(eq(policy.name, name));
	return row ?? null;
}

/** @throws SpillwayError `not_found` */
export async function knownPointer(db: DbOrTx, name: string): Promise<PointerRow> {
	const row = await fetchPointer(db, name);
	if (row) return row;
	throw new SpillwayError("not_found", `There is no policy "${name}".`, { fix: "The active policy is named default." });
}

/** A version as accepted; null when it can no longer be parsed. */
export function readStored(source: string): Policy | null {
	return parseStoredPolicy(source).policy;
}
