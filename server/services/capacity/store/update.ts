import { isDeepStrictEqual } from "node:util";
import { and, eq, isNull } from "drizzle-orm";
import { updateStoreInput } from "#server/contract/inputs/store.ts";
import { store } from "#server/db/schema/store.ts";
import { type StoreConfig, storeAddress } from "#server/domain/store.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { currentStorePrices } from "#server/services/pricing/store/prices.ts";
import { parseStoreSecret } from "./add.ts";
import { type StoreContext, sealStoreSecret } from "./box.ts";
import { storeNotFound } from "./find.ts";
import { type StoreView, storeView } from "./view.ts";

/**
 * Changes a store's settings, credentials or both. The next check shows whether they work.
 * @throws SpillwayError `forbidden`, `not_found`; `invalid_input` for incomplete credentials; `conflict` for another place of its files;
 * ZodError
 */
export async function updateStore(ctx: StoreContext, id: string, raw: unknown): Promise<StoreView> {
	authorize(ctx, "store:manage", null);
	const { config: wanted, secret } = updateStoreInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.select()
			.from(store)
			.where(and(eq(store.id, id), isNull(store.removedAt)))
			.for("update");
		if (!row) throw storeNotFound(id);
		const config = wanted ?? row.config;
		if (!isSamePlace(row.config, config))
			throw new SpillwayError(
				"conflict",
				`Store ${row.team}/${row.name} keeps its files in ${storeAddress(row.config)}; that cannot change.`,
				{
					fix: "Add a store with another name for the new place.",
				},
			);
		const price = (await currentStorePrices(tx, [id])).get(id);
		if (secret === undefined && isDeepStrictEqual(config, row.config)) return storeView(row, price);
		const sealed = secret && { sealedSecret: sealStoreSecret(ctx.stores.secretKey, id, parseStoreSecret(config.kind, secret)) };
		const changes = { config, ...sealed, checkedAt: null, problem: null };
		await tx.update(store).set(changes).where(eq(store.id, id));
		await writeAudit(tx, ctx, {
			...{ action: "store.update", subject: id, before: { config: row.config } },
			after: { config, ...(sealed && { credentials: "replaced" }) },
		});
		return storeView({ ...row, ...changes }, price);
	});
}

/** Whether files of the one are files of the other. */
export function isSamePlace(one: StoreConfig, other: StoreConfig): boolean {
	const endpoint = (config: StoreConfig) => ("endpoint" in config ? config.endpoint : undefined);
	return one.kind === other.kind && storeAddress(one) === storeAddress(other) && endpoint(one) === endpoint(other);
}
