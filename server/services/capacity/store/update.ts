import { and, eq, isNull } from "drizzle-orm";
import { store } from "#server/db/schema/store.ts";
import { type StoreConfig, storeAddress } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { parseStoreSecret } from "./add.ts";
import { type StoreContext, sealStoreSecret } from "./box.ts";
import { storeNotFound } from "./find.ts";

/**
 * Changes a store's settings and credentials. The next check shows whether they work.
 * @throws SpillwayError `forbidden`, `not_found`; `invalid_input` for incomplete credentials; `conflict` for another place of its files
 */
export async function updateStore(
	ctx: StoreContext,
	id: string,
	{ config, secret }: { config: StoreConfig; secret: unknown },
): Promise<{ id: string }> {
	authorize(ctx, "store:manage", null);
	const sealedSecret = sealStoreSecret(ctx.stores.secretKey, id, parseStoreSecret(config.kind, secret));
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.select()
			.from(store)
			.where(and(eq(store.id, id), isNull(store.removedAt)))
			.for("update");
		if (!row) throw storeNotFound(id);
		if (!isSamePlace(row.config, config))
			throw new SpillwayError(
				"conflict",
				`Store ${row.team}/${row.name} keeps its files in ${storeAddress(row.config)}; that cannot change.`,
				{
					fix: "Add a store with another name for the new place.",
				},
			);
		await tx.update(store).set({ config, sealedSecret, checkedAt: null, problem: null }).where(eq(store.id, id));
		await writeAudit(tx, ctx, { action: "store.update", subject: id, before: { config: row.config }, after: { config } });
		return { id };
	});
}

/** Whether files of the one are files of the other. */
export function isSamePlace(one: StoreConfig, other: StoreConfig): boolean {
	const endpoint = (config: StoreConfig) => ("endpoint" in config ? config.endpoint : undefined);
	return one.kind === other.kind && storeAddress(one) === storeAddress(other) && endpoint(one) === endpoint(other);
}
