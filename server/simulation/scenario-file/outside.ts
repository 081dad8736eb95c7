import type { Offer } from "#server/domain/capacity.ts";
import { suggestName } from "#server/kernel/nearest-name.ts";
import type { ReplayPool, ReplayScenario } from "#server/simulation/replay/types.ts";
import type { ScenarioContext } from "./context.ts";
import { parseGrid } from "./grid-file.ts";
import { type PriceChange, parsePrices } from "./price-file.ts";

/** Price changes by offer id, from every history; a later file overrides an earlier one. */
export function readPrices({ doc, startMs, read }: ScenarioContext, offers: readonly Offer[]): Map<string, PriceChange[]> {
	const prices = new Map<string, PriceChange[]>();
	for (const [i, { file, from }] of doc.spec.priceHistory.entries()) {
		const csv = read(file, ["priceHistory", i, "file"]);
		const changes = parsePrices(csv, offers, { fromMs: from, startMs });
		if (changes.size === 0)
			throw doc.error(
				["priceHistory", i, "file"],
				`${file} has no price of any offer here.`,
				"Its instance_type and zone or region must be those of an offer.",
			);
		for (const [id, list] of changes) prices.set(id, list);
	}
	return prices;
}

/** Forecast of coming grid hours that the core sees; null: none. */
export function readGridForecast({ doc, read }: ScenarioContext): ReplayScenario["gridForecast"] | null {
	const { grid } = doc.spec;
	if (!grid) return null;
	const hours = new Map<string, readonly number[]>();
	for (const [i, { forecastFile, places }] of grid.files.entries()) {
		if (forecastFile === undefined) continue;
		const grams = parseGrid(read(forecastFile, ["grid", "files", i, "forecastFile"]), grid.from ?? null);
		for (const place of places) hours.set(place, grams);
	}
	if (grid.forecast === undefined && hours.size === 0) return null;
	return { kind: grid.forecast ?? "history", hours };
}

/** Hourly intensity by `provider:region` or pool id. */
export function readGrid({ doc, read }: ScenarioContext, pools: readonly ReplayPool[], offers: readonly Offer[]): Map<string, number[]> {
	const grid = new Map<string, number[]>();
	const known = new Set([...pools.map((pool) => pool.id), ...offers.map((offer) => `${offer.provider}:${offer.region}`)]);
	for (const [i, { file, places }] of (doc.spec.grid?.files ?? []).entries()) {
		const csv = read(file, ["grid", "files", i, "file"]);
		const grams = parseGrid(csv, doc.spec.grid?.from ?? null);
		for (const [j, place] of places.entries()) {
			if (!known.has(place))
				throw doc.error(
					["grid", "files", i, "places", j],
					`there is no pool and no region of an offer ${place}.`,
					suggestName(place, [...known].slice(0, 50)),
				);
			grid.set(place, grams);
		}
	}
	return grid;
}
