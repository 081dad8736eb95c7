import type { RatePrice, ZoneRate } from "../offers.ts";
import { type FetchJson, readCatalogue } from "./catalogue.ts";
import { composeRates } from "./compose.ts";

export interface LivePricesOptions {
	/** Of the Cloud Billing Catalog or a copy of it: an address without a path. */
	endpoint: string;
	fetchJson: FetchJson;
	/** The catalogue is read again when it is this old. */
	everyMs: number;
	/** After a failure it is asked again this much later. */
	retryMs: number;
}

/** The catalogue's prices, read now and then. While it fails, what was read last holds, with its day; before that, the snapshot. */
export class LivePrices {
	readonly #options: LivePricesOptions;
	#rates: readonly ZoneRate[] | null = null;
	#nextMs = 0;
	/** Why the last reading failed; null when it did not. */
	#problem: string | null = null;

	constructor(options: LivePricesOptions) {
		this.#options = options;
	}

	async rates(snapshot: readonly ZoneRate[], nowMs: number): Promise<readonly ZoneRate[]> {
		if (nowMs >= this.#nextMs) await this.#read(snapshot, nowMs);
		const rates = this.#rates ?? snapshot;
		const problem = this.#problem;
		if (problem === null) return rates;
		const told = (price: RatePrice): RatePrice => ({ ...price, source: `${price.source}; the live list cannot be read: ${problem}` });
		return rates.map((rate) => ({ ...rate, onDemand: told(rate.onDemand), spot: rate.spot && told(rate.spot) }));
	}

	async #read(snapshot: readonly ZoneRate[], nowMs: number): Promise<void> {
		const { endpoint, fetchJson, everyMs, retryMs } = this.#options;
		try {
			const skus = await readCatalogue(endpoint, fetchJson);
			this.#rates = composeRates(snapshot, skus, new Date(nowMs).toISOString().slice(0, 10));
			this.#problem = null;
			this.#nextMs = nowMs + everyMs;
		} catch (error) {
			this.#problem = error instanceof Error ? error.message : String(error);
			this.#nextMs = nowMs + retryMs;
		}
	}
}
