import type { CatalogEntry } from "#server/emulators/shared/catalog-entry.ts";
import type { EmulatorOptions } from "#server/emulators/shared/options.ts";
import type { DatedRate } from "#server/providers/snapshot-rate.ts";
import type { Cloud } from "./plan.ts";

type DiskRate = NonNullable<EmulatorOptions["disks"]>[number];

/** Two regions per cloud, one instance type. Prices are invented; nothing depends on real ones. */
export const REGIONS: Record<Cloud, string[]> = {
	aws: ["us-east-1", "eu-west-1"],
	azure: ["eastus", "westeurope"],
	gcp: ["us-central1", "europe-west4"],
};

const TYPES: Record<Cloud, { instanceType: string; accelerator: string; zonesOf(region: string): string[] }> = {
	aws: { instanceType: "g5.xlarge", accelerator: "A10G-24GB", zonesOf: (region) => [`${region}a`, `${region}b`] },
	azure: { instanceType: "Standard_NC4as_T4_v3", accelerator: "T4-16GB", zonesOf: (region) => [`${region}-1`, `${region}-2`] },
	gcp: { instanceType: "g2-standard-4", accelerator: "L4-24GB", zonesOf: (region) => [`${region}-a`, `${region}-b`] },
};

const ON_DEMAND = 1_006_000n;
const SPOT = 400_000n;
const SIZE = { vcpus: 4, memoryGiB: 16, gpus: 1 };

function catalogOf(cloud: Cloud): CatalogEntry[] {
	const { instanceType, accelerator, zonesOf } = TYPES[cloud];
	const regions = REGIONS[cloud].map((region) => ({
		region,
		onDemandMicroUsdPerHour: ON_DEMAND,
		zones: zonesOf(region).map((zone) => ({ zone, spotMicroUsdPerHour: SPOT })),
	}));
	return [{ instanceType, ...SIZE, gpuModel: accelerator, regions }];
}

function ratesOf(cloud: Cloud): DatedRate[] {
	const { instanceType, accelerator, zonesOf } = TYPES[cloud];
	const price = { asOf: "2026-07-20", source: "invented for tests" };
	const prices = { onDemand: { microUsdPerHour: ON_DEMAND, ...price }, spot: { microUsdPerHour: SPOT, ...price } };
	// Google's offers name a zone; the other providers' offers name a region.
	const places = REGIONS[cloud].flatMap((region) => (cloud === "gcp" ? zonesOf(region) : [null]).map((zone) => ({ region, zone })));
	return places.map((place) => ({ instanceType, accelerator, ...SIZE, ...place, ...prices }));
}

export const CATALOGS: Record<Cloud, CatalogEntry[]> = { aws: catalogOf("aws"), azure: catalogOf("azure"), gcp: catalogOf("gcp") };
export const RATES: Record<Cloud, DatedRate[]> = { aws: ratesOf("aws"), azure: ratesOf("azure"), gcp: ratesOf("gcp") };

const DISK: Record<Cloud, Omit<DiskRate, "region">> = {
	aws: { type: "gp3", tierGib: null, microUsdPerMonth: 500_000n },
	azure: { type: "P10 LRS", tierGib: 128, microUsdPerMonth: 64_000_000n },
	gcp: { type: "pd-balanced", tierGib: null, microUsdPerMonth: 500_000n },
};

/** So expensive that a disk-second costs about 20 µ$: one second too many is visible. */
export function disksOf(cloud: Cloud): DiskRate[] {
	return REGIONS[cloud].map((region) => ({ region, ...DISK[cloud] }));
}
