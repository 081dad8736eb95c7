import type { DbOrTx } from "#server/db/client.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { discountOffers, discountsAt } from "#server/scheduling/discount.ts";
import { readCommitments } from "../commitment/commitments.ts";
import { readDiscounts } from "./discounts.ts";
import { listListPrices } from "./list-prices.ts";
import { withQuotas } from "./quota-use.ts";
import { reservedOffers } from "./reserved.ts";

/** Available capacity at the company's contract prices: cloud offers, and reserved or committed capacity. */
export async function listOffers(db: DbOrTx, nowMs: number): Promise<Offer[]> {
	const market = await listMarketOffers(db, nowMs);
	return [...market, ...(await reservedOffers(db, await readCommitments(db), market, nowMs))];
}

/** Only the cloud offers. */
export async function listMarketOffers(db: DbOrTx, nowMs: number): Promise<Offer[]> {
	const contracted = discountOffers(await listListPrices(db), discountsAt(await readDiscounts(db), nowMs));
	return withQuotas(db, contracted);
}
