import { FOCUS_COLUMNS } from "./columns.ts";

export type FocusVersion = "1.0" | "1.1" | "1.2" | "1.3" | "1.4";

/** Columns by the version that introduced them (FOCUS_Spec); all others exist since 1.0. */
const SINCE_1_1 = [
	"CapacityReservationId",
	"CapacityReservationStatus",
	"CommitmentDiscountQuantity",
	"CommitmentDiscountUnit",
	"ServiceSubcategory",
	"SkuMeter",
	"SkuPriceDetails",
];
const SINCE_1_2 = [
	"BillingAccountType",
	"InvoiceId",
	"PricingCurrency",
	"PricingCurrencyContractedUnitPrice",
	"PricingCurrencyEffectiveCost",
	"PricingCurrencyListUnitPrice",
	"SubAccountType",
];
const SINCE_1_3 = [
	...["AllocatedMethodDetails", "AllocatedMethodId", "AllocatedResourceId", "AllocatedResourceName", "AllocatedTags"],
	...["ContractApplied", "HostProviderName", "ServiceProviderName"],
];
const SINCE_1_4 = ["CommitmentProgramEligibilityDetails", "InvoiceDetailId"];
/** Until 1.3; its successor exists since 1.3. */
const PROVIDER_NAMES = ["ProviderName", "ServiceProviderName"] as const;

/** Amounts of a line. The same line may be billed again with other amounts, for example once it is on an invoice. */
const AMOUNTS: ReadonlySet<string> = new Set([
	...["BilledCost", "ContractedCost", "EffectiveCost", "ListCost", "ContractedUnitPrice", "ListUnitPrice", "InvoiceId"],
	...["ConsumedQuantity", "PricingQuantity", "CommitmentDiscountQuantity"],
	...["PricingCurrencyContractedUnitPrice", "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice"],
]);

/** Without these and the provider's name, a line cannot be matched or summed. All are mandatory in every version. */
export const NEEDED_COLUMNS = [
	"BilledCost",
	"BillingCurrency",
	"BillingPeriodStart",
	"ChargeCategory",
	"ChargePeriodEnd",
	"ChargePeriodStart",
	"ContractedCost",
	"EffectiveCost",
	"ListCost",
] as const;

export interface BillHeader {
	version: FocusVersion;
	columns: readonly string[];
	/** The column with the provider's name. */
	providerColumn: (typeof PROVIDER_NAMES)[number];
	/** Position of each column. */
	at: ReadonlyMap<string, number>;
	/**
	 * FOCUS's own columns in alphabetical order: all are compared to detect equal lines, and all but the amounts
	 * identify what a line is about.
	 */
	compared: readonly { at: number; prefix: string; isAmount: boolean }[];
}

export type HeaderProblem = { column: string; message: string };

/** Parses the first record of a file. Custom columns (`x_…` and strays) are kept but ignored. */
export function readBillHeader(cells: readonly string[]): BillHeader | HeaderProblem {
	const columns = cells.map((cell) => cell.trim());
	const at = new Map<string, number>();
	for (const [i, name] of columns.entries()) {
		if (name === "") return { column: `#${i + 1}`, message: "a column has no name" };
		if (at.has(name)) return { column: name, message: "the column is there twice" };
		at.set(name, i);
	}
	const providerColumn = PROVIDER_NAMES.find((name) => at.has(name));
	const missing: string[] = NEEDED_COLUMNS.filter((name) => !at.has(name));
	if (providerColumn === undefined) missing.push(PROVIDER_NAMES[0]);
	if (missing.length > 0 || providerColumn === undefined)
		return { column: missing[0] ?? "", message: `not a FOCUS file: it has no column ${missing.join(", ")}` };
	const known = new Set<string>([...FOCUS_COLUMNS, ...SINCE_1_2, ...SINCE_1_3, ...SINCE_1_4]);
	const compared = [...at]
		.filter(([name]) => known.has(name))
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, i]) => ({ at: i, prefix: `${name}\x1f`, isAmount: AMOUNTS.has(name) }));
	const version = versionOf(at);
	return { version, columns, providerColumn, at, compared };
}

/** The oldest version that has all FOCUS columns of the file, and that has no mandatory column missing from the file. */
function versionOf(at: ReadonlyMap<string, number>): FocusVersion {
	const has = (names: readonly string[]): boolean => names.some((name) => at.has(name));
	if (has(SINCE_1_4) || !at.has("ProviderName")) return "1.4";
	if (has(SINCE_1_3)) return "1.3";
	return has(SINCE_1_2) ? "1.2" : has(SINCE_1_1) ? "1.1" : "1.0";
}
