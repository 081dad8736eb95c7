import { site } from "#server/db/schema/site.ts";
import type { CompanySpec } from "#server/domain/company-schema.ts";
import { REGION_PLACE } from "#server/domain/data-set.ts";
import { isCloudProvider } from "#server/domain/vocabulary.ts";
import { readDataSets, readDataStores } from "#server/services/capacity/data-set/read-lists.ts";
import { setDataSets } from "#server/services/capacity/data-set/set.ts";
import { type CompanyContext, differences, type PlanPart } from "./change.ts";

type Wanted = Pick<CompanySpec, "sites" | "dataSets" | "dataStores">;

/**
 * Data sets with their copies, and stores for copies, as one change: both lists are replaced together. Sets and stores that the file does
 * not list stay, unless `prune`.
 */
export async function planData(ctx: CompanyContext, wanted: Wanted, prune: boolean): Promise<PlanPart> {
	const { dataSets, dataStores } = wanted;
	const problems = await unknownPlaces(ctx, wanted);
	const before = { items: await readDataSets(ctx.db), stores: await readDataStores(ctx.db) };
	const items = mergeBy((set) => set.uri, before.items, dataSets, prune);
	const stores = mergeBy((store) => store.at, before.stores, dataStores, prune);
	const fields = [
		...changedFields((set) => set.uri, before.items, items),
		...changedFields((store) => `store at ${store.at}`, before.stores, stores),
	];
	if (fields.length === 0 || problems.length > 0) return { changes: [], skipped: [], problems };
	const apply = (at: CompanyContext) => setDataSets(at, { items, stores }, before);
	return { changes: [{ kind: "data", id: "copies", action: "update", fields, apply }], skipped: [], problems };
}

/** The known entries, with those of the file instead of entries with the same key, and new ones after them. */
function mergeBy<T>(keyOf: (entry: T) => string, known: readonly T[], wanted: readonly T[] | undefined, prune: boolean): T[] {
	if (!wanted) return [...known];
	const merged = new Map((prune ? [] : known).map((entry) => [keyOf(entry), entry]));
	for (const entry of wanted) merged.set(keyOf(entry), entry);
	return [...merged.values()];
}

function changedFields<T>(nameOf: (entry: T) => string, before: readonly T[], after: readonly T[]): ReturnType<typeof differences> {
	const named = (entries: readonly T[]) => Object.fromEntries(entries.map((entry) => [nameOf(entry), entry]));
	const removed = Object.fromEntries(before.map((entry) => [nameOf(entry), null]));
	return differences(named(before), { ...removed, ...named(after) });
}

/** Owned sites are those of the installation and of the file. */
async function unknownPlaces(ctx: CompanyContext, { sites = [], dataSets = [], dataStores = [] }: Wanted): Promise<PlanPart["problems"]> {
	const known = [...sites, ...(await ctx.db.select({ id: site.id, provider: site.provider }).from(site))];
	const owned = new Set(known.filter(({ provider }) => !isCloudProvider(provider)).map(({ id }) => id));
	const places = [
		...dataSets.flatMap(({ copies }, i) => copies.map(({ at }, j) => ({ place: at, path: ["dataSets", i, "copies", j, "at"] }))),
		...dataStores.map(({ at }, i) => ({ place: at, path: ["dataStores", i, "at"] })),
	];
	const message = `must be a region such as aws:us-east-1, or an owned site: ${[...owned].join(", ") || "none yet"}`;
	return places
		.filter(({ place }) => !REGION_PLACE.test(place) && !owned.has(place))
		.map(({ path }) => ({ at: ["spec", ...path], message }));
}
