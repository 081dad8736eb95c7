import { type Clock, systemClock } from "#server/kernel/clock.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { type ListedPrice, type LiveList, mergePrices } from "./merge-prices.ts";

/** Providers change on-demand prices once a year or less, and listed spot prices rarely more than once in a few days. */
const REFRESH_MS = 6 * HOUR_MS;
/** Delay after a failure; the previous prices remain in use meanwhile. */
const RETRY_MS = 10 * MINUTE_MS;

export interface LivePricesOptions {
	/** The list's display name. */
	source: string;
	/** The shipped prices. */
	snapshot: () => readonly DatedRate[];
	/**
	 * The list's current prices of these types.
	 * @throws whatever reading the list throws
	 */
	read(instanceTypes: readonly string[], nowMs: number): Promise<readonly ListedPrice[]>;
	clock?: Clock;
}

/** A provider's live prices over the shipped snapshot, refreshed a few times a day. */
export class LivePrices {
	readonly #options: LivePricesOptions;
	readonly #clock: Clock;
	#rates: Promise<readonly DatedRate[]> | null = null;
	#live: LiveList | null = null;
	#dueMs = 0;

	constructor(options: LivePricesOptions) {
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
	}

	/** The current prices. If the list cannot be read, the previous ones or the snapshot's, with the reason in their source. */
	current(): Promise<readonly DatedRate[]> {
		const nowMs = this.#clock.nowMs();
		if (this.#rates === null || nowMs >= this.#dueMs) {
			this.#dueMs = nowMs + REFRESH_MS;
			this.#rates = this.#read(nowMs);
		}
		return this.#rates;
	}

	async #read(nowMs: number): Promise<readonly DatedRate[]> {
		const { source, snapshot, read } = this.#options;
		const shipped = snapshot();
		const types = [...new Set(shipped.map(({ instanceType }) => instanceType))];
		try {
			this.#live = { source, prices: await read(types, nowMs), asOf: new Date(nowMs).toISOString().slice(0, 10) };
			return mergePrices(shipped, this.#live);
		} catch (error) {
			this.#dueMs = nowMs + RETRY_MS;
			const why = error instanceof Error ? error.message : String(error);
			const last = this.#live === null ? shipped : mergePrices(shipped, this.#live);
			return last.map((rate) => ({ ...rate, onDemand: withReason(rate.onDemand, why), spot: rate.spot && withReason(rate.spot, why) }));
		}
	}
}

function withReason<P extends { source: string }>(price: P, why: string): P {
	return { ...price, source: `${price.source}; the live price list could not be read: ${why}` };
}
