import path from "node:path";
import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import type { StoreConfig } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { limitsOf, storeById } from "#server/services/capacity/store/find.ts";

/** Folder of an artifact in a store of a team, below the store's prefix. */
export function artifactFolder(id: string): string {
	return `artifacts/${id}`;
}

/** Where the control plane stores results itself: the embedded store, or a team's shared folder. */
export function rootOf(embeddedRoot: string, config: StoreConfig | null): string {
	return config?.kind === "folder" ? path.join(config.path, "artifacts") : embeddedRoot;
}

/** Root of the files of an artifact in a folder store; `embeddedRoot` for any other. */
export async function rootOfArtifact(db: DbOrTx, embeddedRoot: string, storeId: string | null): Promise<string> {
	return storeId === null ? embeddedRoot : rootOf(embeddedRoot, (await storeById(db, storeId)).config);
}

/** Thrown when a result does not fit in its team's quota. */
export class OverQuota extends SpillwayError {}

/**
 * Checks whether a result fits. Within the transaction that records the result, this locks the team's quota until the end, so only one of
 * two concurrent results gets the remaining space. @throws OverQuota
 */
export async function requireQuota(db: DbOrTx, team: string, { id, bytes }: { id: string; bytes: number }): Promise<void> {
	const { quotaBytes } = await limitsOf(db, team);
	if (quotaBytes === null) return;
	await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`storage quota:${team}`}, 0))`);
	const [row] = await db
		.select({ bytes: sql<string>`coalesce(sum(${artifact.bytes}), 0)::text` })
		.from(artifact)
		.where(and(eq(artifact.team, team), isNull(artifact.deletedAt), ne(artifact.id, id)));
	const used = BigInt(row?.bytes ?? "0");
	if (used + BigInt(bytes) <= quotaBytes) return;
	const gib = (value: bigint) => (Number(value) / 1024 ** 3).toFixed(2);
	throw new OverQuota(
		"conflict",
		`Team ${team} keeps ${gib(used)} GiB of ${gib(quotaBytes)} GiB; ${gib(BigInt(bytes))} GiB more do not fit.`,
		{ fix: "Delete old results (spillway artifacts rm), or raise the quota under Settings > Stores." },
	);
}
