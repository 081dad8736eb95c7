import { parseDecimal } from "#server/accounting/focus/decimal.ts";

/** A row of an export as a consumer reads it; null where the file has NULL. */
export type Row = Readonly<Record<string, string | null>>;

/** Data for checking an export, besides its own rows. */
export interface World {
	rows: readonly Row[];
	period: { start: string; end: string };
	offers: ReadonlySet<string>;
	documentation: string;
}

/** Throws an error that identifies the row when a sentence does not hold. */
export type Check = (world: World, column: string, argument: string) => void;

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
	CapacityReservationStatus: ["Used", "Unused"],
	ChargeCategory: ["Usage", "Purchase", "Tax", "Credit", "Adjustment"],
	ChargeFrequency: ["One-Time", "Recurring", "Usage-Based"],
	CommitmentDiscountCategory: ["Spend", "Usage"],
	CommitmentDiscountStatus: ["Used", "Unused"],
	ContractCommitmentCategory: ["Spend", "Usage"],
	ContractCommitmentType: ["Capacity Reservation", "Usage Commitment"],
	PricingCategory: ["Standard", "Dynamic", "Committed", "Other"],
	ServiceCategory: ["Compute", "Networking", "Storage", "Other"],
	ServiceSubcategory: ["Virtual Machines", "Other (Compute)", "Other (Networking)", "Block Storage", "Other (Other)"],
};
const PARENTS: Readonly<Record<string, string>> = {
	"Virtual Machines": "Compute",
	"Other (Compute)": "Compute",
	"Other (Networking)": "Networking",
	"Block Storage": "Storage",
	"Other (Other)": "Other",
};
const DETAILS: Readonly<Record<string, "string" | "number">> = {
	InstanceType: "string",
	CoreCount: "number",
	MemorySize: "number",
	GpuCount: "number",
	OperatingSystem: "string",
	x_Accelerator: "string",
};
const DISK_DETAILS: Readonly<Record<string, "string" | "number">> = { DiskSpace: "number", DiskType: "string", x_DiskType: "string" };
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function each(world: World, holds: (row: Row) => boolean): void {
	for (const row of world.rows) if (!holds(row)) throw new Error(`does not hold for ${JSON.stringify(row)}`);
}

const cell = (row: Row, column: string): string | null => row[column] ?? null;
const isUsage = (row: Row) => row["ChargeCategory"] === "Usage" && row["ChargeClass"] !== "Correction";
/** Time on prepaid machines. */
const isCommitted = (row: Row) =>
	row["x_Kind"] === "commitment" ||
	(row["x_CapacityType"] === "reserved" && row["ChargeCategory"] === "Usage" && !["egress", "storage"].includes(row["x_Kind"] ?? ""));
const both = (a: string | null, b: string | null) => (a === null) === (b === null);
const object = (text: string | null): Record<string, unknown> => (text === null ? {} : JSON.parse(text));

/** Costs are whole micro-dollars: a product matches within one. */
function product(world: World, price: string, cost: string): void {
	each(world, (row) => {
		const [p, q, c] = [price, "PricingQuantity", cost].map((name) =>
			cell(row, name) === null ? null : parseDecimal(cell(row, name) ?? "", 15),
		);
		if (
			p === null ||
			q === null ||
			c === null ||
			p === undefined ||
			q === undefined ||
			c === undefined ||
			row["ChargeClass"] === "Correction"
		)
			return true;
		const difference = p * q - c * 10n ** 15n;
		return (difference < 0n ? -difference : difference) <= 10n ** 24n;
	});
}

function one(world: World, from: string, to: string): void {
	const found = new Map<string, string | null>();
	each(world, (row) => {
		const [key, value] = [cell(row, from), cell(row, to)];
		if (key === null) return true;
		const before = found.get(key);
		if (before === undefined) found.set(key, value);
		return before === undefined || before === value;
	});
}

/** The elements of ContractApplied; empty when it is null. */
function elements(row: Row): Record<string, unknown>[] {
	const { Elements = [] } = object(cell(row, "ContractApplied")) as { Elements?: Record<string, unknown>[] };
	return Elements;
}

/** Matches ContractAppliedObjectSchema: ids and a cost. */
function isElement(element: Record<string, unknown>): boolean {
	const { ContractId, ContractCommitmentId, ContractCommitmentAppliedCost, ...rest } = element;
	const ids = [ContractId, ContractCommitmentId];
	return (
		ids.every((id) => typeof id === "string" && id !== "") &&
		typeof ContractCommitmentAppliedCost === "number" &&
		Object.keys(rest).length === 0
	);
}

export const CHECKS: Readonly<Record<string, Check>> = {
	present: (w, c) => each(w, (r) => Object.hasOwn(r, c)),
	absent: (w, c) => each(w, (r) => !Object.hasOwn(r, c)),
	string: (w, c) => each(w, (r) => cell(r, c) === null || (cell(r, c)?.trim() !== "" && cell(r, c)?.trim() === cell(r, c))),
	decimal: (w, c) => each(w, (r) => cell(r, c) === null || NUMBER.test(cell(r, c) ?? "")),
	nonNegative: (w, c) => each(w, (r) => cell(r, c) === null || Number(cell(r, c)) >= 0),
	date: (w, c) => each(w, (r) => TIME.test(cell(r, c) ?? "")),
	usd: (w) => each(w, (r) => r["BillingCurrency"] === "USD"),
	notNull: (w, c) => each(w, (r) => cell(r, c) !== null),
	alwaysNull: (w, c) => each(w, (r) => cell(r, c) === null),
	allowed: (w, c) => each(w, (r) => cell(r, c) === null || (ALLOWED[c] ?? []).includes(cell(r, c) ?? "")),
	keyValue: (w, c) =>
		each(w, (r) => Object.values(object(cell(r, c))).every((v) => v === null || ["string", "number", "boolean"].includes(typeof v))),
	unit: (w, c) => each(w, (r) => cell(r, c) === null || ["Hours", "GPU-Hours", "GiB", "GiB-Months"].includes(cell(r, c) ?? "")),
	bothNull: (w, c, other) => each(w, (r) => both(cell(r, c), cell(r, other))),
	nullIfNull: (w, c, other) => each(w, (r) => cell(r, other) !== null || cell(r, c) === null),
	nullForTax: (w, c) => each(w, (r) => r["ChargeCategory"] !== "Tax" || cell(r, c) === null),
	notNullForUsage: (w, c) => each(w, (r) => !isUsage(r) || cell(r, c) !== null),
	product: (w, _c, argument) => product(w, argument.split(":")[0] ?? "", argument.split(":")[1] ?? ""),
	products: (w) => {
		product(w, "ListUnitPrice", "ListCost");
		product(w, "ContractedUnitPrice", "ContractedCost");
	},
	one: (w, _c, argument) => one(w, argument.split(">")[0] ?? "", argument.split(">")[1] ?? ""),
	zone: (w) => each(w, (r) => r["x_InstanceId"] !== null || r["AvailabilityZone"] === null),
	periodStart: (w) => each(w, (r) => r["BillingPeriodStart"] === w.period.start && (r["ChargePeriodStart"] ?? "") >= w.period.start),
	periodEnd: (w) => each(w, (r) => r["BillingPeriodEnd"] === w.period.end && (r["ChargePeriodStart"] ?? "") < w.period.end),
	chargePeriod: (w) => each(w, (r) => (r["ChargePeriodStart"] ?? "") < (r["ChargePeriodEnd"] ?? "")),
	chargeClass: (w) =>
		each(w, (r) => r["ChargeClass"] === (r["x_Correction"] !== null && (r["x_PostedAt"] ?? "") >= w.period.end ? "Correction" : null)),
	reservation: (w) =>
		each(
			w,
			(r) =>
				r["CapacityReservationId"] ===
				(isCommitted(r) && r["CommitmentDiscountType"] === "Capacity Reservation" ? r["CommitmentDiscountId"] : null),
		),
	reservationStatus: (w) =>
		each(
			w,
			(r) =>
				r["CapacityReservationStatus"] === (r["CapacityReservationId"] === null ? null : r["x_Kind"] === "commitment" ? "Unused" : "Used"),
		),
	commitment: (w) => each(w, (r) => isCommitted(r) === (r["CommitmentDiscountId"] !== null)),
	commitmentQuantity: (w) =>
		each(w, (r) => {
			if (r["CommitmentDiscountId"] === null) return r["CommitmentDiscountQuantity"] === null && r["CommitmentDiscountStatus"] === null;
			const used = r["x_Kind"] !== "commitment";
			if (r["CommitmentDiscountStatus"] !== (used ? "Used" : "Unused") || r["CommitmentDiscountUnit"] !== "Hours") return false;
			return Number(r["CommitmentDiscountQuantity"]) > 0 && r["CommitmentDiscountQuantity"] === r["PricingQuantity"];
		}),
	commitmentSums: (w) => {
		const sum = (of: (r: Row) => boolean) =>
			w.rows
				.filter((r) => r["ChargeCategory"] === "Usage" && of(r))
				.reduce((total, r) => total + (parseDecimal(r["EffectiveCost"] ?? "", 6) ?? 0n), 0n);
		const whole = sum((r) => r["CommitmentDiscountId"] !== null);
		const parts = sum((r) => r["CommitmentDiscountStatus"] === "Used") + sum((r) => r["CommitmentDiscountStatus"] === "Unused");
		if (whole !== parts || whole === 0n) throw new Error(`${whole} is not ${parts}`);
	},
	consumed: (w) =>
		each(w, (r) => {
			const measured = r["ChargeCategory"] === "Usage" && r["CommitmentDiscountStatus"] !== "Unused";
			return (r["ConsumedQuantity"] !== null) === measured;
		}),
	credit: (w, c) => each(w, (r) => r["ChargeCategory"] !== "Credit" || cell(r, c) === r["BilledCost"]),
	pricingCategory: (w) =>
		each(w, (r) => {
			if (r["PricingCategory"] === null || r["x_Kind"] === "egress") return true;
			// A disk costs the list price, whatever the capacity type of its machine.
			if (r["x_Kind"] === "storage") return r["PricingCategory"] === "Standard";
			const expected = { spot: "Dynamic", reserved: "Committed" }[r["x_CapacityType"] ?? ""] ?? "Standard";
			return r["PricingCategory"] === expected;
		}),
	resource: (w) =>
		each(
			w,
			(r) =>
				(r["ResourceId"] !== null) ===
				(r["x_InstanceId"] !== null || r["x_AllocationId"] !== null || r["x_PoolId"] !== null || r["x_Correction"] === "bill_unknown"),
		),
	resourceName: (w) => each(w, (r) => r["ResourceName"] !== r["ResourceId"] || r["ResourceId"] === null),
	subcategory: (w) => each(w, (r) => PARENTS[r["ServiceSubcategory"] ?? ""] === r["ServiceCategory"]),
	sku: (w) => {
		one(w, "SkuPriceId", "SkuId");
		each(w, (r) => !isUsage(r) || (r["SkuId"] !== null && !/(spot|on_demand|reserved)/.test(r["SkuId"] ?? "")));
	},
	details: (w) =>
		each(w, (r) => {
			const entries = Object.entries(object(cell(r, "SkuPriceDetails")));
			const disk = r["SkuMeter"] === "Disk Storage";
			const expected = disk ? DISK_DETAILS : DETAILS;
			const known = entries.every(([key, value]) => typeof value === expected[key] && /^(x_)?[A-Z][A-Za-z]+$/.test(key));
			const machine = (r["SkuMeter"] ?? "") === "Instance Time";
			return (
				known &&
				(!disk || entries.length === Object.keys(DISK_DETAILS).length) &&
				(!machine || entries.length === Object.keys(DETAILS).length)
			);
		}),
	offer: (w) => each(w, (r) => r["SkuMeter"] !== "Instance Time" || w.offers.has(r["SkuPriceId"] ?? "")),
	team: (w) => each(w, (r) => r["SubAccountId"] === r["SubAccountName"] && r["SubAccountId"] !== ""),
	tags: (w) =>
		each(w, (r) => {
			const tags = object(cell(r, "Tags"));
			if (r["x_AllocationId"] === null && r["x_InstanceId"] === null) return r["Tags"] === null;
			return typeof tags["spillway/job"] === "string" && Object.values(tags).every((value) => typeof value === "string" && value !== "");
		}),
	labels: (w) => each(w, (r) => Object.keys(object(cell(r, "Tags"))).every((key) => !key.includes("/") || key.startsWith("spillway/"))),
	contractApplied: (w) =>
		each(w, (r) => (r["ContractApplied"] === null) === (r["CommitmentDiscountId"] === null) && elements(r).every(isElement)),
	contractMatches: (w) =>
		each(w, (r) =>
			elements(r).every((e) => e["ContractCommitmentId"] === r["CommitmentDiscountId"] && e["ContractId"] === r["CommitmentDiscountId"]),
		),
	contractUnused: (w) =>
		each(w, (r) => r["CommitmentDiscountStatus"] !== "Unused" || elements(r).every((e) => e["ContractCommitmentId"] === r["ResourceId"])),
	contractCost: (w) => each(w, (r) => elements(r).every((e) => e["ContractCommitmentAppliedCost"] === Number(r["EffectiveCost"]))),
	contractPeriod: (w) =>
		each(
			w,
			(r) =>
				r["ContractPeriodStart"] === r["ContractCommitmentPeriodStart"] &&
				(r["ContractPeriodStart"] ?? "") < (r["ContractPeriodEnd"] ?? ""),
		),
	host: (w) =>
		each(
			w,
			(r) => r["HostProviderName"] === r["ServiceProviderName"] && (r["ProviderName"] ?? r["HostProviderName"]) === r["HostProviderName"],
		),
	unique: (w, c) => {
		if (new Set(w.rows.map((r) => r[c])).size !== w.rows.length) throw new Error(`${c} does not hold: it repeats`);
	},
	documented: (w) => {
		for (const word of ["spillway/", "final when the charge is written", "at most 500 characters"]) {
			if (!w.documentation.includes(word)) throw new Error(`docs/focus.md does not say "${word}"`);
		}
	},
};
