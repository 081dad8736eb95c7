import { and, eq, isNull } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { shadow } from "#server/db/schema/shadow.ts";
import type { Policy } from "#server/domain/policy.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";

export type ShadowRow = typeof shadow.$inferSelect;

/** The draft that currently runs as a shadow of the published policy, if any. */
export async function runningShadow(db: DbOrTx, policyName: string): Promise<ShadowRow | null> {
	const [row] = await db
		.select()
		.from(shadow)
		.where(and(eq(shadow.policyName, policyName), isNull(shadow.stoppedAt)));
	return row ?? null;
}

/** A text that was accepted when the shadow began; null when it can no longer be parsed. */
export function policyOf({ source }: Pick<ShadowRow, "source">): Policy | null {
	return parseStoredPolicy(source).policy;
}
