import { dataSetsInput } from "#server/contract/inputs/data-set.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { site } from "#server/db/schema/site.ts";
import { REGION_PLACE } from "#server/domain/data-set.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { rejectUnseen } from "#server/services/core/reject-unseen.ts";
import { readLockedSetting, writeSetting } from "#server/services/core/setting.ts";
import { DATA_SETS_SETTING, DATA_STORES_SETTING, type DataSetsInput, storedDataSets, storedDataStores } from "./schemas.ts";

/**
 * Replaces the list of data sets with copies, and the list of stores for copies. The change affects decisions within a minute, and attempts
 * that start from now on. `seen`: the lists that the new ones are based on.
 * @throws SpillwayError `forbidden`, `invalid_input` for a place that is neither a region nor an owned site, `conflict` when `seen` are
 * not the current lists.
 */
export async function setDataSets(ctx: ServiceContext, raw: DataSetsInput, seen?: DataSetsInput): Promise<void> {
	authorize(ctx, "data:change", null);
	const { items, stores = [] } = dataSetsInput.parse(raw);
	const known = seen && dataSetsInput.parse(seen);
	await ctx.db.transaction(async (tx) => {
		const sites = await tx.select({ id: site.id, provider: site.provider }).from(site);
		const owned = sites.filter((s) => !isCloudProvider(s.provider)).map((s) => s.id);
		const isPlace = (at: string) => REGION_PLACE.test(at) || owned.includes(at);
		const mustBe = `must be a region such as aws:us-east-1, or an owned site: ${owned.join(", ") || "none yet"}`;
		const fields = items.flatMap(({ copies }, i) =>
			copies.flatMap(({ at }, j) => (isPlace(at) ? [] : [{ path: `items.${i}.copies.${j}.at`, message: mustBe }])),
		);
		if (fields.length > 0) throw new SpillwayError("invalid_input", "A copy refers to an unknown place.", { fields });
		const unknown = stores.flatMap(({ at }, i) => (isPlace(at) ? [] : [{ path: `stores.${i}.at`, message: mustBe }]));
		if (unknown.length > 0) throw new SpillwayError("invalid_input", "A store refers to an unknown place.", { fields: unknown });
		const before = await replaceSetting(tx, DATA_SETS_SETTING, items);
		rejectUnseen(storedDataSets.parse(before), known?.items, "The data sets");
		await writeAudit(tx, ctx, { action: "data_sets.set", subject: "data_sets", before, after: items });
		const storesBefore = await replaceSetting(tx, DATA_STORES_SETTING, stores);
		rejectUnseen(storedDataStores.parse(storesBefore), known && (known.stores ?? []), "The stores");
		if (JSON.stringify(storesBefore) !== JSON.stringify(stores))
			await writeAudit(tx, ctx, { action: "data_stores.set", subject: "data_stores", before: storesBefore, after: stores });
		await notify(tx, { wake: true });
	});
}

/** Returns the previous value. */
async function replaceSetting(tx: Tx, key: string, value: unknown[]): Promise<unknown> {
	const before = await readLockedSetting(tx, key);
	await writeSetting(tx, key, value);
	return before ?? [];
}
