import { type Clock, systemClock } from "#server/kernel/clock.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { type LiveList, mergePrices } from "./merge-prices.ts";
import type { AzureRate } from "./offers.ts";
import { readRetailItems } from "./retail-client.ts";
import { retailPricesOf } from "./retail-items.ts";

/** Azure changes spot prices with supply, and by its own word seldom more than once in some days. */
const REFRESH_MS = 6 * HOUR_MS;
/** After a failure; what was read before holds on meanwhile. */
const RETRY_MS = 10 * MINUTE_MS;

/** Azure's live prices over the shipped snapshot, read again a few times a day. */
export class AzurePriceList {
	readonly #options: { url: string; regions: readonly string[]; snapshot: () => readonly AzureRate[]; clock: Clock };
	#rates: Promise<readonly AzureRate[]> | null = null;
	#live: LiveList | null = null;
	#dueMs = 0;

	constructor(options: { url: string; regions: readonly string[]; snapshot: () => readonly AzureRate[]; clock?: Clock }) {
		this.#options = { clock: systemClock, ...options };
	}

	/** The prices in force. When the list cannot be read, the last ones or the snapshot's, with the reason in their source. */
	current(): Promise<readonly AzureRate[]> {
		const nowMs = this.#options.clock.nowMs();
		if (this.#rates === null || nowMs >= this.#dueMs) {
			this.#dueMs = nowMs + REFRESH_MS;
			this.#rates = this.#read(nowMs);
		}
		return this.#rates;
	}

	async #read(nowMs: number): Promise<readonly AzureRate[]> {
		const { url, regions, snapshot } = this.#options;
		const shipped = snapshot();
		const sizes = [...new Set(shipped.map(({ instanceType }) => instanceType))];
		try {
			const items = await Promise.all(regions.map((region) => readRetailItems(url, region, sizes)));
			this.#live = { prices: retailPricesOf(items.flat(), nowMs), asOf: new Date(nowMs).toISOString().slice(0, 10) };
			return mergePrices(shipped, this.#live);
		} catch (error) {
			this.#dueMs = nowMs + RETRY_MS;
			if (this.#live !== null) return mergePrices(shipped, this.#live);
			const why = error instanceof Error ? error.message : String(error);
			return shipped.map((rate) => ({ ...rate, onDemand: withReason(rate.onDemand, why), spot: rate.spot && withReason(rate.spot, why) }));
		}
	}
}

function withReason<P extends { source: string }>(price: P, why: string): P {
	return { ...price, source: `${price.source}; the live price list could not be read: ${why}` };
}
