import { and, eq, isNull } from "drizzle-orm";
import { changeStoreInput, setStorageInput } from "#server/contract/inputs/store.ts";
import { notify } from "#server/db/notify.ts";
import { storageLimit, store } from "#server/db/schema/store.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { currentStorePrices } from "#server/services/pricing/store/prices.ts";
import { lockStores, unsetDefault } from "./add.ts";
import { storeById, storeNotFound } from "./find.ts";
import { type StoreView, storeView } from "./view.ts";

/** Sends new results and checkpoints of the team to this store, or with `isDefault: false` to the embedded one. */
export async function setDefaultStore(ctx: ServiceContext, raw: unknown): Promise<StoreView> {
	authorize(ctx, "store:manage", null);
	const { id, isDefault } = changeStoreInput.parse(raw);
	return ctx.db.transaction(async (tx) => {
		await lockStores(tx, (await storeById(tx, id)).team);
		const [before] = await tx
			.select()
			.from(store)
			.where(and(eq(store.id, id), isNull(store.removedAt)))
			.for("update");
		if (!before) throw storeNotFound(id);
		if (isDefault) await unsetDefault(tx, before.team);
		const [row] = await tx.update(store).set({ isDefault }).where(eq(store.id, id)).returning();
		await writeAudit(tx, ctx, { action: "store.default", subject: id, after: { team: before.team, isDefault } });
		return storeView(row ?? before, (await currentStorePrices(tx, [id])).get(id));
	});
}

/** Removes a store. Its content stays there and stays readable. @throws SpillwayError `forbidden`, `not_found` */
export async function removeStore(ctx: ServiceContext, id: string): Promise<{ id: string }> {
	authorize(ctx, "store:manage", null);
	await ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.update(store)
			.set({ removedAt: new Date(ctx.clock.nowMs()), isDefault: false })
			.where(and(eq(store.id, id), isNull(store.removedAt)))
			.returning();
		if (!row) throw storeNotFound(id);
		await writeAudit(tx, ctx, { action: "store.remove", subject: id, before: { team: row.team, name: row.name } });
	});
	return { id };
}

/** Sets a team's quota and retention. @throws SpillwayError `forbidden`; `invalid_input` for an unknown team; ZodError */
export async function setStorageLimits(
	ctx: ServiceContext,
	raw: unknown,
): Promise<{ team: string; quotaGiB: number | null; keepDays: number | null }> {
	authorize(ctx, "store:manage", null);
	const { team, quotaGiB, keepDays } = setStorageInput.parse(raw);
	const limits = {
		quotaBytes: quotaGiB === null ? null : BigInt(Math.round(quotaGiB * 1024 ** 3)),
		keepMs: keepDays === null ? null : keepDays * 86_400_000,
	};
	await ctx.db.transaction(async (tx) => {
		await requireTeams(tx, [team], "team");
		await tx
			.insert(storageLimit)
			.values({ team, ...limits })
			.onConflictDoUpdate({ target: storageLimit.team, set: limits });
		await writeAudit(tx, ctx, { action: "store.limits", subject: team, after: { quotaGiB, keepDays } });
		await notify(tx, { changes: [{ topic: "site", id: team, team }] });
	});
	return { team, quotaGiB, keepDays };
}
