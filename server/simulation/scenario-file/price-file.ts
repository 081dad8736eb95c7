import type { Offer } from "#server/domain/capacity.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { discounted } from "#server/scheduling/discount.ts";
import { BadRow, shorten } from "#server/simulation/trace-file/trace-rows.ts";
import { eachCsvRow, momentIn } from "./csv-table.ts";
import { SCENARIO_LIMITS } from "./schema.ts";

export interface PriceChange {
	/** UTC ms of the replay. */
	atMs: number;
	microUsdPerHour: bigint;
}

const COLUMNS = ["ts?", "date?", "instance_type", "zone?", "region?", "spot_usd_h?", "on_demand_usd_h?"];

/**
 * Price changes of the offers in a history, matched by zone if it has one, else by region, and by capacity type. The price in effect at
 * `fromMs` of the history applies when the replay begins at `startMs`. Empty prices are ignored.
 * @throws SpillwayError with the line of an invalid row.
 */
export function parsePrices(
	csv: { text: string; name: string },
	offers: readonly Offer[],
	time: { fromMs: number; startMs: number },
): Map<string, PriceChange[]> {
	const byPlace = placesOf(offers);
	const changes = new Map<string, PriceChange[]>();
	let rows = 0;
	eachCsvRow(csv, COLUMNS, ([ts = "", date = "", type = "", zone = "", region = "", spot = "", onDemand = ""]) => {
		if (++rows > SCENARIO_LIMITS.priceChanges)
			throw new BadRow(
				"row",
				`There are more than ${SCENARIO_LIMITS.priceChanges} rows.`,
				"Keep the instance types that the scenario has.",
			);
		const atMs = time.startMs + momentIn(ts === "" ? "date" : "ts", ts || date) - time.fromMs;
		for (const [capacityType, column, text] of [
			["spot", "spot_usd_h", spot],
			["on_demand", "on_demand_usd_h", onDemand],
		] as const) {
			if (text === "") continue;
			const microUsdPerHour = priceIn(column, text);
			for (const id of byPlace.get(`${zone || region}|${type}|${capacityType}`) ?? []) {
				const list = changes.get(id) ?? [];
				changes.set(id, list);
				list.push({ atMs, microUsdPerHour });
			}
		}
	});
	const agreed = new Map(offers.map(({ id, discount }) => [id, discount]));
	return new Map([...changes].map(([id, list]) => [id, fromStart(contracted(list, agreed.get(id)), time.startMs)]));
}

/** A history has the provider's prices; an offer with a discount pays less. */
function contracted(list: PriceChange[], discount: Offer["discount"]): PriceChange[] {
	if (!discount) return list;
	return list.map(({ atMs, microUsdPerHour }) => ({ atMs, microUsdPerHour: discounted(microUsdPerHour, discount.partsPerMillion) }));
}

/** Offer ids by zone and by region. */
function placesOf(offers: readonly Offer[]): Map<string, string[]> {
	const byPlace = new Map<string, string[]>();
	for (const offer of offers) {
		for (const place of offer.zone === null ? [offer.region] : [offer.zone, offer.region]) {
			const key = `${place}|${offer.instanceType}|${offer.capacityType}`;
			byPlace.set(key, [...(byPlace.get(key) ?? []), offer.id]);
		}
	}
	return byPlace;
}

/** Ascending, one change per moment (the last row of the file wins), starting with the price in effect at the start. */
function fromStart(list: PriceChange[], startMs: number): PriceChange[] {
	list.sort((a, b) => a.atMs - b.atMs);
	const kept: PriceChange[] = [];
	for (const change of list) {
		const atMs = Math.max(change.atMs, startMs);
		if (kept.at(-1)?.atMs === atMs) kept.pop();
		if (kept.at(-1)?.microUsdPerHour !== change.microUsdPerHour) kept.push({ ...change, atMs });
	}
	return kept;
}

function priceIn(column: string, text: string): bigint {
	// A history may have more decimals than a micro-dollar; the truncated part is less than a micro-dollar per hour.
	const match = /^(\d{1,7}(?:\.\d{1,6})?)\d*$/.exec(text);
	const micro = match ? usdToMicro(match[1] ?? "") : 0n;
	if (micro > 0n) return micro;
	throw new BadRow(column, `${column} is "${shorten(text)}"; a price is above 0.`, "Leave the field empty where no price is known.");
}
