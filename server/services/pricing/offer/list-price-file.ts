import { floorPrice } from "#server/domain/price-floor.ts";
import { quarantineOf } from "#server/domain/quarantine.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { type MicroUsd, microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { RATED_PROVIDERS, type RatedProvider } from "#server/rates/offers.ts";
import { shippedListPrice } from "#server/rates/shipped-list-price.ts";
import { readCsvTable } from "#server/services/core/csv-table.ts";

/** The hourly price of one Linux machine, as its provider listed it on a day. */
export interface PriceRow {
	provider: RatedProvider;
	instanceType: string;
	region: string;
	capacityType: "on_demand" | "spot";
	microUsdPerHour: MicroUsd;
	/** YYYY-MM-DD */
	asOf: string;
}

export const PRICE_COLUMNS = ["provider", "instance_type", "region", "capacity_type", "usd_per_hour", "as_of"] as const;
type Column = (typeof PRICE_COLUMNS)[number];
/** The clouds together list about 20,000 GPU prices. */
const ROWS_MAX = 100_000;
const NAME = /^[\w.-]{1,64}$/;
const USD = /^\d{1,5}(\.\d{1,6})?$/;
/** A price this many times above the list price is in another unit, such as cents or dollars per month. */
const FAR_ABOVE = 10n;

export interface PriceFile {
	rows: PriceRow[];
	/** Lines about machines that the shipped prices lack: most are not GPU machines. */
	ignored: number;
}

/**
 * Reads list prices from CSV with the columns provider, instance_type, region, capacity_type, usd_per_hour and as_of. A price that the price
 * floor would reject, or far above the shipped list price, rejects the file.
 * @throws SpillwayError `invalid_input` with the line, the error and how to fix it
 */
export function readListPrices(text: string): PriceFile {
	const { names, lines } = readCsvTable(text, unusable);
	const lower = names.map((name) => name.toLowerCase());
	const missing = PRICE_COLUMNS.filter((name) => !lower.includes(name));
	if (missing.length > 0) throw unusable(`its header lacks ${missing.join(", ")}`, `The first line must name ${PRICE_COLUMNS.join(",")}.`);
	if (lines.length > ROWS_MAX) throw unusable(`it has more than ${ROWS_MAX} prices`, "Split it.");
	const rows = new Map<string, PriceRow>();
	let ignored = 0;
	for (const { at, cells } of lines) {
		const row = rowOf((column) => cells[lower.indexOf(column)] ?? "", at);
		const listed = shippedListPrice(row);
		if (listed === null) {
			ignored++;
			continue;
		}
		rejectImplausible(row, listed, at);
		const key = [row.provider, row.instanceType, row.region, row.capacityType].join(" ");
		const before = rows.get(key);
		if (before && before.asOf === row.asOf && before.microUsdPerHour !== row.microUsdPerHour)
			throw unusable(`${at} has another price of ${key} on ${row.asOf} than an earlier line`, "Keep the right one.");
		if (!before || before.asOf <= row.asOf) rows.set(key, row);
	}
	if (rows.size === 0) throw unusable("it has no prices of known GPU machines", `Add lines under the header ${PRICE_COLUMNS.join(",")}.`);
	return { rows: [...rows.values()], ignored };
}

function rowOf(cell: (column: Column) => string, at: string): PriceRow {
	const wrong = (column: Column, what: string, fix: string) => unusable(`${at}: "${cell(column).slice(0, 40)}" is not ${what}`, fix);
	const provider = RATED_PROVIDERS.find((name) => name === cell("provider"));
	if (!provider) throw wrong("provider", "a cloud with list prices", `Use ${RATED_PROVIDERS.join(", ")}.`);
	for (const column of ["instance_type", "region"] as const)
		if (!NAME.test(cell(column)))
			throw wrong(column, `a name in ${column}`, "Write it as the provider does, such as p5.48xlarge and us-east-1.");
	const capacityType = (["on_demand", "spot"] as const).find((name) => name === cell("capacity_type"));
	if (!capacityType) throw wrong("capacity_type", "on_demand or spot", "Use on_demand or spot.");
	if (!USD.test(cell("usd_per_hour")) || Number(cell("usd_per_hour")) === 0)
		throw wrong("usd_per_hour", "an amount above 0 and below 100000", "Write US dollars per machine and hour, for example 98.32.");
	if (!isDay(cell("as_of"))) throw wrong("as_of", "a date", "Write it as 2026-11-26.");
	return {
		...{ provider, capacityType, instanceType: cell("instance_type"), region: cell("region") },
		...{ microUsdPerHour: usdToMicro(cell("usd_per_hour")), asOf: cell("as_of") },
	};
}

function isDay(text: string): boolean {
	return /^20\d\d-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}

function rejectImplausible(row: PriceRow, listMicroUsdPerHour: MicroUsd, at: string): void {
	const fix = "Check the unit: US dollars per machine and hour.";
	if (row.microUsdPerHour > listMicroUsdPerHour * FAR_ABOVE)
		throw unusable(
			`${at}: $${microToUsdText(row.microUsdPerHour)} is more than ${FAR_ABOVE} times the shipped list price ($${microToUsdText(listMicroUsdPerHour)})`,
			fix,
		);
	const floored = floorPrice(
		{ ...row, onDemandMicroUsdPerHour: null, priceSource: "" },
		{ listMicroUsdPerHour, neighbours: [], previousMicroUsdPerHour: null },
	);
	const refusal = quarantineOf(floored.priceSource);
	if (refusal !== null) throw unusable(`${at}: ${refusal}`, fix);
}

function unusable(what: string, fix: string): SpillwayError {
	return new SpillwayError("invalid_input", `Could not read the prices: ${what}.`, { fields: [{ path: "text", message: what }], fix });
}
