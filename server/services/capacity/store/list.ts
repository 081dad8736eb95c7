import { and, asc, inArray, isNull, sql } from "drizzle-orm";
import { team } from "#server/db/schema/account.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { storageLimit, store } from "#server/db/schema/store.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { currentStorePrices } from "#server/services/pricing/store/prices.ts";
import { priceView, type StorePriceView, type StoreView, storeView } from "./view.ts";

export interface StorageView {
	stores: StoreView[];
	embeddedPrice: StorePriceView;
	/** Storage used by each team, and its limits. */
	teams: { team: string; bytes: number; results: number; quotaGiB: number | null; keepDays: number | null }[];
}

/** Stores and use of the caller's teams. @throws SpillwayError `forbidden` */
export async function listStores(ctx: ServiceContext): Promise<StorageView> {
	authorize(ctx, "capacity:read", null);
	const scope = teamScope(ctx, "job:read");
	const teams = scope === null ? (await ctx.db.select({ name: team.name }).from(team)).map((t) => t.name) : [...scope];
	const prices = await currentStorePrices(ctx.db);
	const embeddedPrice = priceView(prices.get(EMBEDDED_STORE));
	if (teams.length === 0) return { stores: [], embeddedPrice, teams: [] };
	const rows = await ctx.db
		.select()
		.from(store)
		.where(and(inArray(store.team, teams), isNull(store.removedAt)))
		.orderBy(asc(store.team), asc(store.name));
	const used = await ctx.db
		.select({ team: artifact.team, bytes: sql<string>`sum(${artifact.bytes})::text`, results: sql<number>`count(*)::int` })
		.from(artifact)
		.where(and(inArray(artifact.team, teams), isNull(artifact.deletedAt)))
		.groupBy(artifact.team);
	const limits = new Map((await ctx.db.select().from(storageLimit)).map((limit) => [limit.team, limit]));
	const uses = new Map(used.map((use) => [use.team, use]));
	return {
		stores: rows.map((row) => storeView(row, prices.get(row.id))),
		embeddedPrice,
		teams: teams.sort().map((name) => {
			const { quotaBytes = null, keepMs = null } = limits.get(name) ?? {};
			return {
				...{ team: name, bytes: Number(uses.get(name)?.bytes ?? 0), results: uses.get(name)?.results ?? 0 },
				quotaGiB: quotaBytes === null ? null : Number(quotaBytes) / 1024 ** 3,
				keepDays: keepMs === null ? null : keepMs / 86_400_000,
			};
		}),
	};
}
