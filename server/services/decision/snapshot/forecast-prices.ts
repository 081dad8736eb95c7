import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { discounted, discountOf, discountsAt } from "#server/scheduling/discount.ts";
import { HOURS_AHEAD, PATTERN_MS } from "#server/scheduling/forecast/forecast-hours.ts";
import { factorAt, hourPattern } from "#server/scheduling/forecast/hour-pattern.ts";
import { hourlyMeans } from "#server/scheduling/forecast/hourly-means.ts";
import { readDiscounts } from "#server/services/pricing/offer/discounts.ts";
import type { Series } from "./forecast-grid.ts";

type PriceRow = {
	id: string;
	siteId: string;
	provider: Provider;
	region: string;
	instanceType: string;
	source: string;
	price: string;
	times: number[];
	prices: number[];
};

/**
 * Expected price of the coming hours by spot offer, µ$/h: today's price, scaled by the pattern of each hour of the day
 * in the last weeks. Only offers with such a pattern are included; other prices do not change
 * by the hour. Cost: the price changes of those weeks.
 */
export async function forecastPrices(tx: Tx, nowMs: number): Promise<ReadonlyMap<string, Series>> {
	const fromMs = nowMs - PATTERN_MS;
	const discounts = discountsAt(await readDiscounts(tx), nowMs);
	const rows = await tx.execute<PriceRow>(sql`
		select offer.id, offer.site_id as "siteId", offer.provider::text, offer.region, offer.instance_type as "instanceType", offer.price_source as source, offer.micro_usd_per_hour::text as price, past.times, past.prices
		from offer cross join lateral (
			select array_agg(extract(epoch from observed_at)::float8 * 1000 order by observed_at) as times,
				array_agg(micro_usd_per_hour::float8 order by observed_at) as prices
			from offer_price
			where offer_price.offer_id = offer.id and observed_at > ${new Date(fromMs).toISOString()}::timestamptz
				and observed_at <= ${new Date(nowMs).toISOString()}::timestamptz
		) past
		where offer.capacity_type = 'spot' and offer.micro_usd_per_hour > 0 and cardinality(past.times) > 1`);
	const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
	return new Map(
		rows.flatMap(({ id, source, price, times, prices, ...machine }) => {
			const steps = times.map((atMs, i) => ({ atMs, value: prices[i] ?? 0 }));
			const pattern = hourPattern(hourlyMeans(steps, firstMs));
			if (!pattern) return [];
			const discount = discountOf(discounts, machine, "spot");
			const paid = discount ? discounted(BigInt(price), discount.partsPerMillion) : price;
			const base = Number(paid) / factorAt(pattern, firstMs);
			const hourly = Array.from({ length: HOURS_AHEAD }, (_, i) => Math.round(base * factorAt(pattern, firstMs + i * HOUR_MS)));
			const by = { source, published: null, pattern: { days: pattern.days, untilMs: pattern.untilMs } };
			return [[id, { hourly, by }] as const];
		}),
	);
}
