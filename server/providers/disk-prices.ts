import type { MachineDisk } from "#server/domain/capacity.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";

/** Providers change prices of disks seldom: years lie between. */
const REFRESH_MS = 6 * HOUR_MS;
/** After a failure; what was read before holds on meanwhile, up to HOLDS_MS. */
const RETRY_MS = 10 * MINUTE_MS;
const HOLDS_MS = 7 * DAY_MS;
/** Some thirty times what the most expensive region asks for a GiB of these disks: more is taken for an error. */
const MICRO_USD_PER_GIB_MAX = 5_000_000n;

export interface DiskAsked {
	type: string;
	gib: number;
}

export interface DiskPricesOptions {
	/** The list's name, for people. */
	source: string;
	clock: Clock;
	/** Price of the whole disk for a month in a region; null: the list has none. @throws whatever reading the list throws */
	read(region: string, disk: DiskAsked): Promise<bigint | null>;
}

type Known = Pick<MachineDisk, "microUsdPerMonth" | "observedAtMs" | "source">;

/** What the disks of machines cost by a provider's own list, region by region, read again a few times a day. */
export class DiskPrices {
	readonly #options: DiskPricesOptions;
	readonly #known = new Map<string, { disk: Promise<Known>; dueMs: number }>();

	constructor(options: DiskPricesOptions) {
		this.#options = options;
	}

	/** The disk with its price, or with none and the reason in its source. Never throws: an offer is none the worse for it. */
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

/** A price in dollars as lists write it, for `gib` of it; what it has beyond a millionth of a dollar for each GiB is rounded. */
export function wholeDisk(usdPerGib: string | number, gib: number): bigint {
	return usdToMicro(typeof usdPerGib === "number" ? usdPerGib.toFixed(6) : usdPerGib) * BigInt(gib);
}
