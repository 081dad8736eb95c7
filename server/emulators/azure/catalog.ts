import { assert } from "#server/kernel/assert.ts";
import type { CatalogEntry } from "../shared/catalog-entry.ts";

/** A size sold in one region. */
export interface RegionalSize {
	entry: CatalogEntry;
	region: string;
	/** Azure's logical zones, `1`, `2`, `3`; empty in a region without zones. */
	zones: readonly string[];
	onDemandMicroUsdPerHour: bigint;
	/** null: not sold as spot. */
	spotMicroUsdPerHour: bigint | null;
}

/** The catalog by region and size. Prices are positive: a price of 0 is an error, never an offer. */
export class Catalog {
	readonly regions: ReadonlySet<string>;
	readonly #sizes = new Map<string, RegionalSize>();
	readonly #names = new Map<string, string>();

	constructor(entries: readonly CatalogEntry[]) {
		assert(entries.length > 0, "the catalog is empty");
		for (const entry of entries) {
			this.#names.set(entry.instanceType.toLowerCase(), entry.instanceType);
			for (const place of entry.regions) this.#addPlace(entry, place);
		}
		this.regions = new Set([...this.#sizes.values()].map(({ region }) => region).sort());
	}

	#addPlace(entry: CatalogEntry, place: CatalogEntry["regions"][number]): void {
		const { region, onDemandMicroUsdPerHour, zones } = place;
		assert(onDemandMicroUsdPerHour > 0n, `${entry.instanceType} has no price in ${region}`);
		const numbers = zones.flatMap(({ zone }) => (zone === region ? [] : [zone.slice(region.length + 1)]));
		const spot = zones.map(({ spotMicroUsdPerHour }) => spotMicroUsdPerHour).find((price) => price !== null) ?? null;
		const key = keyOf(region, entry.instanceType);
		this.#sizes.set(key, { entry, region, zones: numbers, onDemandMicroUsdPerHour, spotMicroUsdPerHour: spot });
	}

	/** Whether any region sells the size. Azure ignores the case. */
	knows(size: string): boolean {
		return this.#names.has(size.toLowerCase());
	}

	sizeIn(region: string, size: string): RegionalSize | undefined {
		return this.#sizes.get(keyOf(region, size));
	}

	sizes(): RegionalSize[] {
		return [...this.#sizes.values()];
	}

	zonesIn(region: string): ReadonlySet<string> {
		return new Set(this.sizes().flatMap((size) => (size.region === region ? size.zones : [])));
	}
}

function keyOf(region: string, size: string): string {
	return `${region}/${size}`.toLowerCase();
}
