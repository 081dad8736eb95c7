import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { offer } from "#server/db/schema/offer.ts";
import { site } from "#server/db/schema/site.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { discountOffers, discountsAt } from "#server/scheduling/discount.ts";
import { readDiscounts } from "./discounts.ts";
import { listListPrices } from "./list-prices.ts";
import { withQuotas } from "./quota-use.ts";
import { reservedOffers } from "./reserved.ts";

/**
 * The result of listOffers, without reading thousands of unchanged rows again: prices change every few minutes, and snapshots
 * are read every second. A digest of all their inputs, computed by the database, shows changes.
 */
export class OffersAsRead {
	#last: { digest: string; offers: Offer[] } | null = null;

	/** The objects of the last read where nothing changed. All reads must see the same: a transaction of repeatable reads. */
	async read(tx: DbOrTx, nowMs: number): Promise<Offer[]> {
		const discounts = discountsAt(await readDiscounts(tx), nowMs);
		const digest = `${await digestOf(tx)} ${JSON.stringify(discounts)}`;
		if (this.#last?.digest !== digest) this.#last = { digest, offers: discountOffers(await listListPrices(tx), discounts) };
		const market = await withQuotas(tx, this.#last.offers);
		return [...market, ...(await reservedOffers(tx, market, nowMs))];
	}
}

async function digestOf(tx: DbOrTx): Promise<string> {
	const [row] = await tx.execute<{ digest: string }>(sql`
		select concat(
			(select md5(string_agg(${offer}::text, ' ' order by ${offer.id})) from ${offer}), ' ',
			(select string_agg(concat(${site.id}, ${site.enabled}, ${site.healthy}), ' ' order by ${site.id}) from ${site})
		) as digest`);
	return row?.digest ?? "";
}
