import type { BillHeader } from "./bill-header.ts";
import { parseDecimal } from "./decimal.ts";

/** Amounts in bills are finer than ours: 10^-9 dollars. */
const NANO = 9;
/** A billion dollars. A larger amount on one line must be in another unit, and exceeds what the database can hold. */
const LINE_NANO_MAX = 10n ** 18n;

/** The parts of a bill line that are needed to match and sum it. */
export interface BillLine {
	providerName: string;
	/** Its billing period, e.g. `2026-11`. */
	month: string;
	chargeCategory: string;
	chargeClass: string | null;
	pricingCategory: string | null;
	periodStartMs: number;
	periodEndMs: number;
	resourceId: string | null;
	regionId: string | null;
	taggedInstanceId: string | null;
	invoiceId: string | null;
	listNanoUsd: bigint;
	contractedNanoUsd: bigint;
	effectiveNanoUsd: bigint;
	billedNanoUsd: bigint;
}

export interface LineProblem {
	column: string;
	message: string;
}

export type Values = readonly (string | null)[];

/** The cells of one record, or an error. `values` has null for NULL; an empty cell means the same. */
export function readBillLine(header: BillHeader, values: Values): BillLine | LineProblem {
	const cell = (name: string): string | null => values[header.at.get(name) ?? -1] || null;
	const problems: LineProblem[] = [];
	const text = (name: string): string => cell(name) ?? addProblem(problems, name, "must not be empty", "");
	const time = (name: string): number => {
		const found = cell(name);
		const ms = found === null ? null : parseBillTime(found);
		return ms ?? addProblem(problems, name, `must be a time from 2000 to 2099 such as 2026-11-01T00:00:00Z, got ${shown(found)}`, 0);
	};
	const money = (name: string, without: bigint | null): bigint => {
		const found = cell(name);
		if (found === null && without !== null) return without;
		const nano = found === null ? null : parseDecimal(found, NANO);
		if (nano !== null && nano <= LINE_NANO_MAX && nano >= -LINE_NANO_MAX) return nano;
		const most = nano === null ? "" : " up to 1,000,000,000";
		return addProblem(problems, name, `must be a number${most} such as 1.25, got ${shown(found)}`, 0n);
	};
	const currency = cell("BillingCurrency");
	if (currency !== "USD") addProblem(problems, "BillingCurrency", `must be USD, the ledger's only currency, got ${shown(currency)}`, null);
	const billedNanoUsd = money("BilledCost", null);
	const periodStartMs = time("ChargePeriodStart");
	const line: BillLine = {
		providerName: text(header.providerColumn),
		month: new Date(time("BillingPeriodStart")).toISOString().slice(0, 7),
		chargeCategory: text("ChargeCategory"),
		chargeClass: cell("ChargeClass"),
		pricingCategory: cell("PricingCategory"),
		periodStartMs,
		periodEndMs: time("ChargePeriodEnd"),
		resourceId: cell("ResourceId"),
		regionId: cell("RegionId"),
		taggedInstanceId: taggedInstance(cell("Tags")),
		invoiceId: cell("InvoiceId"),
		// Mandatory, but some providers leave them empty; then only the billed amount is known.
		listNanoUsd: money("ListCost", billedNanoUsd),
		contractedNanoUsd: money("ContractedCost", billedNanoUsd),
		effectiveNanoUsd: money("EffectiveCost", billedNanoUsd),
		billedNanoUsd,
	};
	if (line.periodEndMs < periodStartMs) addProblem(problems, "ChargePeriodEnd", "must not lie before ChargePeriodStart", null);
	return problems[0] ?? line;
}

function addProblem<T>(problems: LineProblem[], column: string, message: string, instead: T): T {
	problems.push({ column, message });
	return instead;
}

function shown(cell: string | null): string {
	return cell === null ? "nothing" : JSON.stringify(cell.slice(0, 60));
}

const TIME = /^(20\d\d-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,9})?)?(?: ?(?:Z|UTC|[+-]00:?00))?$/;

/**
 * Parses a bill's time to UTC ms: with or without T and Z, or a date only. null for another zone, a nonexistent day,
 * or a year outside the range of report months.
 */
export function parseBillTime(text: string): number | null {
	const match = TIME.exec(text);
	if (!match) return null;
	const [, day = "", clock = "00:00", seconds = ":00", fraction = ""] = match;
	const ms = Date.parse(`${day}T${clock}${seconds}${fraction.slice(0, 4)}Z`);
	if (Number.isNaN(ms)) return null;
	// Date.parse rolls 30 February over into March. Only the last days can be wrong, and a bill has millions of times.
	const isDay = day.slice(8) <= "28" || new Date(day).toISOString().startsWith(day);
	return isDay ? ms : null;
}

/**
 * Our tag among the resource's tags (server/providers/driver.ts, INSTANCE_TAG). Providers change keys on the way into
 * a bill (a prefix such as `user:`, other characters for the colon), so only the letters are compared. Labels that
 * BigQuery stores as repeated records arrive as a list of `{key, value}`.
 */
export function taggedInstance(tags: string | null): string | null {
	if (tags === null || !/spillway/i.test(tags)) return null;
	let parsed: unknown;
	try {
		parsed = JSON.parse(tags);
	} catch {
		return null;
	}
	for (const [key, value] of tagEntries(parsed)) {
		if (typeof value === "string" && /(^|[^a-z])spillway[^a-z0-9]+instance$/i.test(key)) return value;
	}
	return null;
}

function tagEntries(parsed: unknown): [string, unknown][] {
	if (typeof parsed !== "object" || parsed === null) return [];
	if (!Array.isArray(parsed)) return Object.entries(parsed);
	return parsed.flatMap((tag: unknown): [string, unknown][] =>
		typeof tag === "object" && tag !== null && "key" in tag && "value" in tag ? [[String(tag.key), tag.value]] : [],
	);
}

/**
 * Two keys. Lines are equal if all values of FOCUS's columns are equal, whatever their order in the file. Lines with
 * equal values except for amounts are about the same thing; the later one restates the earlier.
 */
export function lineTexts({ compared }: BillHeader, values: Values): { compared: string; about: string } {
	const texts = { compared: "", about: "" };
	for (const { at, prefix, isAmount } of compared) {
		const value = values[at];
		if (!value) continue;
		const text = `${prefix}${value}\x1e`;
		texts.compared += text;
		if (!isAmount) texts.about += text;
	}
	return texts;
}
