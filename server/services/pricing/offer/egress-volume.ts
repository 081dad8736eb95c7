import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { offer } from "#server/db/schema/offer.ts";
import { setting } from "#server/db/schema/setting.ts";
import { egressStepsAfter, internetEgress } from "#server/rates/egress.ts";
import { RATED_PROVIDERS } from "#server/rates/offers.ts";
import type { EgressStep } from "#server/scheduling/egress.ts";

/** The setting that counts a region's egress bytes in the provider's month (UTC). */
export function egressCounterKey(provider: string, region: string, atMs: number): string {
	return `egress_bytes/${provider}/${region}/${monthOf(atMs)}`;
}

/**
 * Price of the next GiB of egress from each region with offers, by `provider:region`, given the ledger's volume in the month
 * of `nowMs`; empty without any volume. Regions of providers without listed tiers are omitted.
 * Cost: the counters of one month, and the offers' regions.
 */
export async function readEgressSteps(db: DbOrTx, nowMs: number): Promise<Map<string, EgressStep[]>> {
	const counters = await db
		.select()
		.from(setting)
		.where(sql`${setting.key} like ${`egress_bytes/%/${monthOf(nowMs)}`}`);
	if (counters.length === 0) return new Map();
	const sent = new Map(counters.map(({ key, value }) => [key, BigInt(String(value))]));
	const places = await db
		.selectDistinct({ provider: offer.provider, region: offer.region })
		.from(offer)
		.orderBy(offer.provider, offer.region);
	return new Map(
		places.flatMap(({ provider, region }): [string, EgressStep[]][] => {
			const rated = RATED_PROVIDERS.find((p) => p === provider);
			if (!rated) return [];
			const sentBytes = sent.get(egressCounterKey(rated, region, nowMs)) ?? 0n;
			return [[`${provider}:${region}`, egressStepsAfter(internetEgress(rated, region), sentBytes)]];
		}),
	);
}

function monthOf(atMs: number): string {
	return new Date(atMs).toISOString().slice(0, 7);
}
