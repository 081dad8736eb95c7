import { type SQL, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { offer } from "#server/db/schema/offer.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { discountOffers, discountsAt } from "#server/scheduling/discount.ts";
import { COMMITMENTS_SETTING, parseCommitments } from "../commitment/commitments.ts";
import { DISCOUNTS_SETTING, parseDiscounts } from "./discounts.ts";
import { listListPrices } from "./list-prices.ts";
import { withQuotas } from "./quota-use.ts";
import { reservedOffers } from "./reserved.ts";

/**
 * Returns the result of listOffers without reading thousands of unchanged rows again: prices change every few minutes, and
 * snapshots are read every second. The database computes a digest of all inputs, which reveals changes.
 */
export class OffersAsRead {
	#last: { digest: string; offers: Offer[] } | null = null;

	/** Returns the objects of the last read if nothing changed. Call it in a repeatable-read transaction, so that all reads agree. */
	async read(tx: DbOrTx, inputs: OfferInputs, nowMs: number): Promise<Offer[]> {
		const discounts = discountsAt(parseDiscounts(inputs.discounts), nowMs);
		const digest = `${inputs.offerDigest} ${JSON.stringify(discounts)}`;
		if (this.#last?.digest !== digest) this.#last = { digest, offers: discountOffers(await listListPrices(tx), discounts) };
		const market = await withQuotas(tx, this.#last.offers);
		return [...market, ...(await reservedOffers(tx, parseCommitments(inputs.commitments), market, nowMs))];
	}
}

/** A digest of the offers and sites, with the two settings that also depend on the current time. */
export interface OfferInputs {
	offerDigest: string;
	discounts: unknown;
	commitments: unknown;
}

const settingOf = (key: string) => sql`(select ${setting.value} from ${setting} where ${setting.key} = ${sql.raw(`'${key}'`)})`;

/** The columns of OfferInputs. */
export const OFFER_INPUTS: SQL = sql`
	concat(
		(select md5(string_agg(${offer}::text, ' ' order by ${offer.id})) from ${offer}), ' ',
		(select string_agg(concat(${site.id}, ${site.enabled}, ${site.healthy}, ${site.settings}->'gpuSubnetworks'), ' ' order by ${site.id}) from ${site})
	) as "offerDigest", ${settingOf(DISCOUNTS_SETTING)} as discounts, ${settingOf(COMMITMENTS_SETTING)} as commitments`;
