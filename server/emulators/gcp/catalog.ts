import { assert } from "#server/kernel/assert.ts";
import type { CatalogEntry } from "../shared/catalog-entry.ts";

export interface ZoneType {
	entry: CatalogEntry;
	/** Whether the zone sells it as spot. */
	spot: boolean;
}

/** The catalog by zone and type. */
export class Catalog {
	readonly regions: ReadonlySet<string>;
	readonly #zones = new Map<string, { region: string; types: Map<string, ZoneType> }>();

	constructor(entries: readonly CatalogEntry[]) {
		assert(entries.length > 0, "the catalog is empty");
		for (const entry of entries) {
			for (const { region, zones } of entry.regions) {
				for (const { zone, spotMicroUsdPerHour } of zones) this.#add(region, zone, entry, spotMicroUsdPerHour !== null);
			}
		}
		this.regions = new Set([...this.#zones.values()].map(({ region }) => region).sort());
	}

	#add(region: string, zone: string, entry: CatalogEntry, spot: boolean): void {
		assert(zone.startsWith(`${region}-`), `zone ${zone} is not in ${region}`);
		const known = this.#zones.get(zone) ?? { region, types: new Map<string, ZoneType>() };
		assert(!known.types.has(entry.instanceType), `the catalog names ${entry.instanceType} twice in ${zone}`);
		known.types.set(entry.instanceType, { entry, spot });
		this.#zones.set(zone, known);
	}

	zones(): { zone: string; region: string }[] {
		return [...this.#zones].map(([zone, { region }]) => ({ zone, region }));
	}

	regionOf(zone: string): string | undefined {
		return this.#zones.get(zone)?.region;
	}

	typesIn(zone: string): ZoneType[] {
		return [...(this.#zones.get(zone)?.types.values() ?? [])];
	}

	type(zone: string, machineType: string): ZoneType | undefined {
		return this.#zones.get(zone)?.types.get(machineType);
	}
}
