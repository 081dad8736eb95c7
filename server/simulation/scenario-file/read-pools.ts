import type { ReplayPool } from "#server/simulation/replay/types.ts";
import type { ScenarioContext } from "./context.ts";
import type { ScenarioSpec } from "./schema.ts";

/** Owned pools. Omitted fields come from the shipped rate card. */
export function readPools(ctx: ScenarioContext): ReplayPool[] {
	const seen = new Set<string>();
	return ctx.doc.spec.pools.map((pool, i) => {
		if (seen.has(pool.id)) throw ctx.doc.error(["pools", i, "id"], `there is a pool ${pool.id} already.`, "Give each pool its own id.");
		seen.add(pool.id);
		return readPool(ctx, pool, i);
	});
}

function readPool({ doc, facts }: ScenarioContext, pool: ScenarioSpec["pools"][number], i: number): ReplayPool {
	const accelerator = resolveModel(facts.acceleratorsNamed(pool.accelerator), pool.accelerator);
	if (accelerator === null)
		throw doc.error(
			["pools", i, "accelerator"],
			`${pool.accelerator} may be any of ${facts.acceleratorsNamed(pool.accelerator).join(", ")}.`,
			"Name the one that the pool has.",
		);
	const card = facts.ownedRate(accelerator);
	const boardWatts = { ...facts.boardWatts, ...doc.spec.boardWatts };
	const orCard = <T>(field: string, given: T | undefined, carded: T | undefined): T => {
		const value = given ?? carded;
		if (value !== undefined) return value;
		throw doc.error(
			["pools", i],
			`${field} is required: the shipped rate card has nothing on ${accelerator}.`,
			`Write ${field} in the pool.`,
		);
	};
	return {
		id: pool.id,
		siteId: pool.site,
		accelerator,
		nodes: pool.nodes,
		gpusPerNode: pool.gpusPerNode,
		microUsdPerGpuHour: orCard("usdPerGpuHour", pool.usdPerGpuHour, card?.microUsdPerGpuHour),
		wattsPerGpu: orCard("wattsPerGpu", pool.wattsPerGpu, card?.wattsPerGpu ?? boardWatts[accelerator]),
		gridGramsPerKwh: gridOf(doc, facts, pool, i),
		pue: pool.pue ?? card?.pue ?? facts.onPremisesPue,
		speed: pool.speed,
	};
}

function gridOf(
	doc: ScenarioContext["doc"],
	facts: ScenarioContext["facts"],
	pool: ScenarioSpec["pools"][number],
	i: number,
): number | null {
	if (pool.gridGramsPerKwh !== undefined && pool.gridZone !== undefined)
		throw doc.error(["pools", i, "gridZone"], "gridZone and gridGramsPerKwh are both given.", "Keep one of them.");
	if (pool.gridZone === undefined) return pool.gridGramsPerKwh ?? null;
	const grams = facts.gridZone(pool.gridZone);
	if (grams === null)
		throw doc.error(
			["pools", i, "gridZone"],
			`no average is known of the grid zone ${pool.gridZone}.`,
			"Write gridGramsPerKwh in its place.",
		);
	return grams;
}

/** The model that a name refers to: the name itself if unknown, null if ambiguous. */
export function resolveModel(named: readonly string[], given: string): string | null {
	return named.length > 1 ? null : (named[0] ?? given);
}
