import { assert } from "#server/kernel/assert.ts";
import type { MicroUsd } from "#server/kernel/money.ts";
import { hash32 } from "#server/kernel/random.ts";
import type { CatalogEntry } from "../shared/catalog-entry.ts";

export interface ZoneOffer {
	entry: CatalogEntry;
	region: string;
	zone: string;
	onDemandMicroUsdPerHour: MicroUsd;
	spotMicroUsdPerHour: MicroUsd | null;
}

export interface ZoneFacts {
	zone: string;
	zoneId: string;
	/** The zone's default subnet, as in an account's default VPC. */
	subnetId: string;
}

/** The catalog by region, zone and type. Prices are positive: a price of 0 is an error, never an offer. */
export class Catalog {
	readonly regions: ReadonlySet<string>;
	readonly #types = new Map<string, CatalogEntry>();
	readonly #offers = new Map<string, ZoneOffer[]>();
	readonly #zones = new Map<string, ZoneFacts[]>();

	constructor(entries: readonly CatalogEntry[]) {
		assert(entries.length > 0, "the catalog is empty");
		for (const entry of entries) {
			assert(!this.#types.has(entry.instanceType), `the catalog names ${entry.instanceType} twice`);
			this.#types.set(entry.instanceType, entry);
			for (const place of entry.regions) this.#addPlace(entry, place);
		}
		this.regions = new Set([...this.#offers.keys()].sort());
		for (const zones of this.#zones.values()) zones.sort((a, b) => (a.zone < b.zone ? -1 : 1));
	}

	#addPlace(entry: CatalogEntry, place: CatalogEntry["regions"][number]): void {
		const { region, onDemandMicroUsdPerHour } = place;
		assert(onDemandMicroUsdPerHour > 0n, `${entry.instanceType} has no price in ${region}`);
		const offers = getOrAdd(this.#offers, region, () => []);
		const zones = getOrAdd(this.#zones, region, () => []);
		for (const { zone, spotMicroUsdPerHour } of place.zones) {
			assert(zone.startsWith(region) && zone.length > region.length, `zone ${zone} is not in ${region}`);
			assert(spotMicroUsdPerHour === null || spotMicroUsdPerHour > 0n, `${entry.instanceType} has a spot price of 0 in ${zone}`);
			offers.push({ entry, region, zone, onDemandMicroUsdPerHour, spotMicroUsdPerHour });
			if (!zones.some((known) => known.zone === zone)) {
				zones.push({ zone, zoneId: zoneIdOf(region, zone), subnetId: `subnet-${hex17(`subnet/${zone}`)}` });
			}
		}
	}

	type(instanceType: string): CatalogEntry | undefined {
		return this.#types.get(instanceType);
	}

	types(): CatalogEntry[] {
		return [...this.#types.values()];
	}

	offersIn(region: string): readonly ZoneOffer[] {
		return this.#offers.get(region) ?? [];
	}

	zonesIn(region: string): readonly ZoneFacts[] {
		return this.#zones.get(region) ?? [];
	}

	vpcOf(region: string): string {
		return `vpc-${hex17(`vpc/${region}`)}`;
	}
}

/** 17 hexadecimal digits, the format of EC2's long ids. The same label gives the same id. */
export function hex17(label: string): string {
	return [0, 1, 2]
		.map((i) => hash32(`${label}/${i}`).toString(16).padStart(8, "0"))
		.join("")
		.slice(0, 17);
}

const DIRECTIONS: Record<string, string> = {
	northeast: "ne",
	northwest: "nw",
	southeast: "se",
	southwest: "sw",
	north: "n",
	south: "s",
	east: "e",
	west: "w",
	central: "c",
};

/** `us-east-1` and `us-east-1b` give `use1-az2`, the format of Amazon's zone ids. */
function zoneIdOf(region: string, zone: string): string {
	const short = region
		.split("-")
		.map((part) => DIRECTIONS[part] ?? part)
		.join("");
	return `${short}-az${zone.charCodeAt(zone.length - 1) - 96}`;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
	const known = map.get(key);
	if (known !== undefined) return known;
	const made = make();
	map.set(key, made);
	return made;
}
