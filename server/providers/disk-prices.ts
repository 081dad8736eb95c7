import type { MachineDisk } from "#server/domain/capacity.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";

/** Providers change disk prices seldom, often only after years. */
const REFRESH_MS = 6 * HOUR_MS;
/** Delay after a failure; the previous prices remain in use meanwhile, up to HOLDS_MS. */
const RETRY_MS = 10 * MINUTE_MS;
const HOLDS_MS = 7 * DAY_MS;
/** About thirty times the price per GiB in the most expensive region; more counts as an error. */
const MICRO_USD_PER_GIB_MAX = 5_000_000n;

export interface DiskAsked {
	type: string;
	gib: number;
}

export interface DiskPricesOptions {
	/** The list's display name. */
	source: string;
	clock: Clock;
	/**
	 * Returns the monthly price of the whole disk in a region, or null if the list has none.
	 * @throws whatever reading the list throws
	 */
	read(region: string, disk: DiskAsked): Promise<bigint | null>;
}

type Known = Pick<MachineDisk, "microUsdPerMonth" | "observedAtMs" | "source">;

/** Disk prices of machines from a provider's own list, per region, refreshed a few times a day. */
export class DiskPrices {
	readonly #options: DiskPricesOptions;
	readonly #known = new Map<string, { disk: Promise<Known>; dueMs: number }>();

	constructor(options: DiskPricesOptions) {
		this.#options = options;
	}

	/**
	 * The disk with its price, or without one and with the reason in its source. Never throws: a missing disk price does not
	 * invalidate an offer.
	 */
	async of(region: string, asked: DiskAsked): Promise<MachineDisk> {
		const nowMs = this.#options.clock.nowMs();
		const key = `${region}/${asked.type}/${asked.gib}`;
		const known = this.#known.get(key);
		if (known && nowMs < known.dueMs) return { ...asked, ...(await known.disk) };
		const entry = { disk: this.#read(region, asked, await known?.disk, nowMs), dueMs: nowMs + REFRESH_MS };
		this.#known.set(key, entry);
		const disk = await entry.disk;
		if (disk.observedAtMs !== nowMs) entry.dueMs = nowMs + RETRY_MS;
		return { ...asked, ...disk };
	}

	async #read(region: string, asked: DiskAsked, before: Known | undefined, nowMs: number): Promise<Known> {
		const { source, read } = this.#options;
		try {
			const price = await read(region, asked);
			if (price === null) return unknown(`${source} has no price of ${asked.type} in ${region}`);
			const refused = refusalOf(price, asked.gib);
			return refused === null ? { microUsdPerMonth: price, observedAtMs: nowMs, source } : unknown(`${source}: ${refused}`);
		} catch (error) {
			const why = `${source} could not be read: ${error instanceof Error ? error.message : String(error)}`;
			const holds = before !== undefined && before.observedAtMs !== null && nowMs - before.observedAtMs < HOLDS_MS;
			return holds ? { ...before, source: `${source}; ${why}` } : unknown(why);
		}
	}
}

function unknown(source: string): Known {
	return { microUsdPerMonth: null, observedAtMs: null, source };
}

function refusalOf(price: bigint, gib: number): string | null {
	if (price <= 0n) return `the price $${microToUsdText(price)} was refused: it is not above zero`;
	if (price <= MICRO_USD_PER_GIB_MAX * BigInt(gib)) return null;
	return `the price $${microToUsdText(price)} for ${gib} GiB was refused: no disk is as dear`;
}

/** Parses a list price in dollars, for `gib` of it. Anything below a millionth of a dollar per GiB is rounded. */
export function wholeDisk(usdPerGib: string | number, gib: number): bigint {
	return usdToMicro(typeof usdPerGib === "number" ? usdPerGib.toFixed(6) : usdPerGib) * BigInt(gib);
}
