import type { DbOrTx } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { ParsePolicyOptions, Place } from "#server/policy/types.ts";
import { listOffers } from "../offer/list.ts";

/** What this installation has, to hold a policy's text against. Of what it has none of yet nothing is said. */
export async function knownFacts(db: DbOrTx): Promise<ParsePolicyOptions> {
	const sites = await db.select({ id: site.id, provider: site.provider }).from(site);
	const teams = await db.select({ name: team.name }).from(team);
	const pools = await db.select({ siteId: pool.siteId }).from(pool);
	const offers = await listOffers(db);
	const places: Place[] = [
		...sites
			.filter(({ id }) => pools.some(({ siteId }) => siteId === id))
			.map(({ id, provider }) => ({ siteId: id, provider, region: null, instanceType: null, capacityType: "owned" as const })),
		...offers.map(({ siteId, provider, region, instanceType, capacityType }) => ({ siteId, provider, region, instanceType, capacityType })),
	];
	return {
		// By the agent, on machines whose driver tells it.
		measures: ["idle", "gpu_utilisation"],
		...(sites.length > 0 ? { siteIds: sites.map(({ id }) => id).sort() } : {}),
		...(teams.length > 0 ? { teams: teams.map(({ name }) => name).sort() } : {}),
		...(places.length > 0 ? { places } : {}),
	};
}
