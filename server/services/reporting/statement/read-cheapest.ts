import { sql } from "drizzle-orm";
import type { CheapestCloud } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import type { Policy } from "#server/domain/policy.ts";
import { type CapacityType, LABELS, type Provider } from "#server/domain/vocabulary.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import type { PlaceFilter } from "#server/policy/types.ts";
import { type Discount, discounted, discountOf } from "#server/scheduling/discount.ts";
import { readDiscounts } from "#server/services/pricing/offer/discounts.ts";
import type { LedgerMonth } from "./month.ts";

interface Seen {
	siteId: string;
	provider: Provider;
	region: string;
	instanceType: string;
	capacityType: CapacityType;
	accelerator: string;
	gpus: number;
	price: string;
	/** Whether a machine was launched at this price, which then includes contract terms. Otherwise it is the provider's list price. */
	taken: boolean;
}

/**
 * The cheapest hour of each of these accelerators in the month. Considers prices observed in the month or in force at its
 * start, less discounts for any part of it, and launch prices; only offers that no unconditional rule excludes.
 */
export async function readCheapest(
	db: DbOrTx,
	month: LedgerMonth,
	policy: Policy,
	accelerators: readonly string[],
): Promise<CheapestCloud[]> {
	if (accelerators.length === 0) return [];
	const filters = filtersForAll(policy);
	const agreed = (await readDiscounts(db)).filter((d) => d.fromMs < month.toMs && (d.toMs === null || month.fromMs < d.toMs));
	const best = new Map<string, CheapestCloud>();
	for (const seen of await readSeen(db, month, accelerators)) {
		if (judgePlace({ filters }, seen)) continue;
		const now = { microUsdPerHour: contractPrice(seen, agreed), gpus: seen.gpus };
		const known = best.get(seen.accelerator);
		// price a / gpus a < price b / gpus b, without dividing
		if (known && now.microUsdPerHour * BigInt(known.gpus) >= known.microUsdPerHour * BigInt(now.gpus)) continue;
		const offer = `${seen.provider} ${seen.instanceType}, ${LABELS[seen.capacityType]}, ${seen.region}`;
		best.set(seen.accelerator, { accelerator: seen.accelerator, ...now, offer });
	}
	return [...best.values()];
}

function contractPrice(seen: Seen, agreed: readonly Discount[]): bigint {
	const price = BigInt(seen.price);
	const discount = seen.taken || !isDiscounted(seen.capacityType) ? null : discountOf(agreed, seen, seen.capacityType);
	return discount === null ? price : discounted(price, discount.partsPerMillion);
}

function isDiscounted(type: CapacityType): type is Discount["capacityType"] {
	return type === "on_demand" || type === "spot";
}

/** Conditional rules apply only to some jobs; other jobs may still use what they exclude. */
function filtersForAll(policy: Policy): PlaceFilter[] {
	return policy.rules.flatMap(({ id: ruleId, when, effect }): PlaceFilter[] => {
		if (when !== null) return [];
		if (effect.kind === "deny" || effect.kind === "allow") return [{ ruleId, ...effect }];
		if (effect.kind !== "require" || effect.capacityType === null) return [];
		return [{ ruleId, kind: "require_capacity_type", capacityType: effect.capacityType }];
	});
}

async function readSeen(db: DbOrTx, { fromMs, toMs }: LedgerMonth, accelerators: readonly string[]): Promise<Seen[]> {
	const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
	const named = sql`in (${sql.join(
		accelerators.map((a) => sql`${a}`),
		sql`, `,
	)})`;
	return db.execute<Seen & Record<string, unknown>>(sql`
		select site_id as "siteId", provider::text, region, instance_type as "instanceType", capacity_type::text as "capacityType",
			accelerator, gpus, taken, min(price)::text as price
		from (
			select o.site_id, o.provider, o.region, o.instance_type, o.capacity_type, o.accelerator, o.gpus, false as taken, p.price
			from offer o cross join lateral (
				select min(micro_usd_per_hour) as price from (
					select micro_usd_per_hour from offer_price
					where offer_id = o.id and observed_at >= ${from}::timestamptz and observed_at < ${to}::timestamptz
					union all
					(select micro_usd_per_hour from offer_price where offer_id = o.id and observed_at < ${from}::timestamptz
						order by observed_at desc limit 1)
				) seen
			) p
			where o.accelerator ${named}
			union all
			select site_id, provider::provider, region, instance_type, capacity_type, accelerator, gpus, true, micro_usd_per_hour from taken_price
			where month_start = ${from}::timestamptz and accelerator ${named}
		) prices
		where price > 0
		group by 1, 2, 3, 4, 5, 6, 7, 8
		order by 3, 4, 5, 1`);
}
