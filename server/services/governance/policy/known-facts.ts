import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import { gridIntensity } from "#server/db/schema/grid-intensity.ts";
import { offer, offerPrice } from "#server/db/schema/offer.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { canKeepStopped } from "#server/domain/capacity.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { Measure, ParsePolicyOptions, Place } from "#server/policy/types.ts";
import { offerInstanceTypes, RATED_PROVIDERS } from "#server/rates/offers.ts";
import { listOffers } from "#server/services/pricing/offer/list.ts";

/** This installation's facts for checking a policy's text. Kinds without entries are not checked yet. */
export async function knownFacts({ db, clock }: { db: DbOrTx; clock: Clock }): Promise<ParsePolicyOptions> {
	const sites = await db.select({ id: site.id, provider: site.provider }).from(site);
	const teams = await db.select({ name: team.name }).from(team);
	const pools = await db.select({ siteId: pool.siteId }).from(pool);
	const offers = await listOffers(db, clock.nowMs());
	const places: Place[] = [
		...sites
			.filter(({ id }) => pools.some(({ siteId }) => siteId === id))
			.map(({ id, provider }) => ({ siteId: id, provider, region: null, instanceType: null, capacityType: "owned" as const })),
		...offers.map(({ siteId, provider, region, instanceType, capacityType }) => ({ siteId, provider, region, instanceType, capacityType })),
	];
	return {
		// Reported by the agent, on machines with a driver that supports it.
		measures: [
			...(["idle", "gpu_utilisation"] as const),
			...(offers.some(canKeepStopped) ? ["stopped_machines" as const] : []),
			...(await forecasts(db, clock.nowMs())),
		],
		...(sites.length > 0 ? { siteIds: sites.map(({ id }) => id).sort() } : {}),
		...(teams.length > 0 ? { teams: teams.map(({ name }) => name).sort() } : {}),
		...(places.length > 0 ? { places } : {}),
		// Includes clouds that are not connected yet.
		instanceTypes: [...catalogueTypes(), ...places],
	};
}

function catalogueTypes(): NonNullable<ParsePolicyOptions["instanceTypes"]> {
	return RATED_PROVIDERS.flatMap((provider) => offerInstanceTypes(provider).map((instanceType) => ({ provider, instanceType })));
}

/** Past days needed to forecast the coming hours (server/scheduling/forecast/hour-pattern). */
const PAST_MS = 7 * DAY_MS;

/** Data for forecasts of the coming hours: imported future hours, or a week of hours or of spot prices. */
async function forecasts(db: DbOrTx, nowMs: number): Promise<Measure[]> {
	const week = new Date(nowMs - PAST_MS);
	const grid = await db
		.select({
			ahead: sql<boolean>`bool_or(${gridIntensity.hour} > ${new Date(nowMs).toISOString()}::timestamptz)`,
			hours: sql<number>`count(*)::int`,
		})
		.from(gridIntensity)
		.where(gt(gridIntensity.hour, new Date(nowMs - 4 * PAST_MS)))
		.groupBy(gridIntensity.zone);
	const prices = await db
		.select({ id: offer.id })
		.from(offer)
		.innerJoin(offerPrice, eq(offerPrice.offerId, offer.id))
		.where(and(eq(offer.capacityType, "spot"), lte(offerPrice.observedAt, week)))
		.limit(1);
	return [
		...(grid.some(({ ahead, hours }) => ahead || hours >= 7 * 24) ? ["grid_forecast" as const] : []),
		...(prices.length > 0 ? ["price_forecast" as const] : []),
	];
}
