import { type DiskAsked, wholeDisk } from "../../disk-prices.ts";
import type { RatePrice, ZoneRate } from "../offers.ts";
import { type FetchJson, readCatalogue, type Sku } from "./catalogue.ts";
import { composeRates } from "./compose.ts";
import { usdPerGibMonth } from "./disk-rate.ts";

export interface LivePricesOptions {
	/** Address of the Cloud Billing Catalog or a copy of it, without a path. */
	endpoint: string;
	fetchJson: FetchJson;
	/** Age at which the catalog is read again. */
	everyMs: number;
	/** Delay after a failure. */
	retryMs: number;
}

/**
 * The catalog's prices, refreshed periodically. While reading fails, the last prices remain in use with their date; before the
 * first success, the snapshot.
 */
export class LivePrices {
	readonly #options: LivePricesOptions;
	#rates: readonly ZoneRate[] | null = null;
	/** Disk prices from the last reading. */
	#disks: readonly Sku[] | null = null;
	#nextMs = 0;
	/** Why the last reading failed; null if it succeeded. */
	#problem: string | null = null;

	constructor(options: LivePricesOptions) {
		this.#options = options;
	}

	async rates(snapshot: readonly ZoneRate[], nowMs: number): Promise<readonly ZoneRate[]> {
		if (nowMs >= this.#nextMs) await this.#read(snapshot, nowMs);
		const rates = this.#rates ?? snapshot;
		const problem = this.#problem;
		if (problem === null) return rates;
		const marked = (price: RatePrice): RatePrice => ({ ...price, source: `${price.source}; the live list cannot be read: ${problem}` });
		return rates.map((rate) => ({ ...rate, onDemand: marked(rate.onDemand), spot: rate.spot && marked(rate.spot) }));
	}

	/**
	 * The monthly price of such a disk in the catalog as last read by `rates`; null if it has none.
	 * @throws Error if it was never read
	 */
	diskPrice(region: string, { type, gib }: DiskAsked): bigint | null {
		if (this.#disks === null || this.#problem !== null) throw new Error(this.#problem ?? "the catalog has not been read yet");
		const usd = usdPerGibMonth(this.#disks, region, type);
		return usd === null ? null : wholeDisk(Number(usd), gib);
	}

	async #read(snapshot: readonly ZoneRate[], nowMs: number): Promise<void> {
		const { endpoint, fetchJson, everyMs, retryMs } = this.#options;
		try {
			const skus = await readCatalogue(endpoint, fetchJson);
			this.#rates = composeRates(snapshot, skus, new Date(nowMs).toISOString().slice(0, 10));
			this.#disks = skus.filter(({ category }) => category.resourceFamily === "Storage");
			this.#problem = null;
			this.#nextMs = nowMs + everyMs;
		} catch (error) {
			this.#problem = error instanceof Error ? error.message : String(error);
			this.#nextMs = nowMs + retryMs;
		}
	}
}
