import type { CatalogEntry, CatalogRegion } from "#server/emulators/shared/catalog-entry.ts";
import type { OfferRate } from "#server/rates/offers.ts";

/**
 * The shipped prices as an emulated cloud's catalog, by type and region. A price for a whole region applies to each of the
 * region's zones. If the snapshot names no zone at all, `defaultZonesOf` returns the zones.
 */
export function emulatedCatalog(rates: readonly OfferRate[], defaultZonesOf: (region: string) => readonly string[]): CatalogEntry[] {
	const zonesOf = Map.groupBy(
		rates.filter(({ zone }) => zone !== null),
		({ region }) => region,
	);
	return [...Map.groupBy(rates, ({ instanceType }) => instanceType)].flatMap(([instanceType, ofType]) => {
		const [first] = ofType;
		if (!first) return [];
		const regions = [...Map.groupBy(ofType, ({ region }) => region)].flatMap(([region, rows]) => {
			const named = new Set((zonesOf.get(region) ?? []).map(({ zone }) => zone ?? ""));
			return regionOf(region, rows, named.size > 0 ? [...named] : defaultZonesOf(region));
		});
		const { vcpus, memoryGiB, gpus, accelerator } = first;
		return { instanceType, vcpus, memoryGiB, gpus, gpuModel: accelerator, regions };
	});
}

function regionOf(region: string, rows: readonly OfferRate[], zonesOfRegion: readonly string[]): CatalogRegion[] {
	const [first] = rows;
	if (!first) return [];
	const zones = rows.flatMap((row) =>
		(row.zone === null ? zonesOfRegion : [row.zone]).map((zone) => ({ zone, spotMicroUsdPerHour: row.spot?.microUsdPerHour ?? null })),
	);
	return [{ region, onDemandMicroUsdPerHour: first.onDemand.microUsdPerHour, zones }];
}
