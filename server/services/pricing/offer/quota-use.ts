import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import type { Offer, OfferQuota } from "#server/domain/capacity.ts";

/** Providers count a machine against the quota only some time after the request. */
const LAG_SECONDS = 60;

/** GPUs left in an account's quota for an offer, in whole machines. */
function gpusFree({ gpus, vcpus }: Pick<Offer, "gpus" | "vcpus">, { unit, limit, used }: OfferQuota): number {
	const each = unit === "cores" ? vcpus : gpus;
	return each <= 0 ? 0 : Math.max(0, Math.floor((limit - used) / each)) * gpus;
}

/**
 * Offers with the remaining quota of their account, from the provider's figures and the launches since they were read. Offers
 * without a quota are returned as the same objects. Cost: none without known quotas, else one read of the live machines.
 */
export async function withQuotas(db: DbOrTx, offers: readonly Offer[]): Promise<Offer[]> {
	if (!offers.some(({ quota }) => quota !== undefined)) return [...offers];
	const since = await db.execute<{ siteId: string; region: string; name: string; units: number }>(sql`
		select offer.site_id as "siteId", offer.region, offer.quota->>'name' as name,
			sum(case when offer.quota->>'unit' = 'cores' then offer.vcpus else offer.gpus end)::int as units
		from instance join offer on offer.id = instance.offer->>'id'
		where instance.state <> 'terminated' and jsonb_typeof(offer.quota) = 'object'
			and instance.intended_at > offer.seen_at - make_interval(secs => ${LAG_SECONDS}) group by 1, 2, 3`);
	const used = new Map(since.map(({ siteId, region, name, units }) => [`${siteId}\n${region}\n${name}`, units]));
	return offers.map((offer) => {
		if (!offer.quota) return offer;
		const quota = { ...offer.quota, used: offer.quota.used + (used.get(`${offer.siteId}\n${offer.region}\n${offer.quota.name}`) ?? 0) };
		return { ...offer, quota, quotaGpusFree: gpusFree(offer, quota) };
	});
}
