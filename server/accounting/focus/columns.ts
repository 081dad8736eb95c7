import { type ExportVersion, FOCUS_VERSIONS } from "#server/domain/focus-version.ts";

/**
 * The columns of a FOCUS 1.2 dataset that Spillway exports, in the order of the specification (alphabetical). Source:
 * FOCUS_Spec v1.2, https://focus.finops.org/focus-specification/v1-2/ (CC-BY-4.0).
 */
export const FOCUS_COLUMNS = [
	"AvailabilityZone",
	"BilledCost",
	"BillingAccountId",
	"BillingAccountName",
	"BillingCurrency",
	"BillingPeriodEnd",
	"BillingPeriodStart",
	"CapacityReservationId",
	"CapacityReservationStatus",
	"ChargeCategory",
	"ChargeClass",
	"ChargeDescription",
	"ChargeFrequency",
	"ChargePeriodEnd",
	"ChargePeriodStart",
	"CommitmentDiscountCategory",
	"CommitmentDiscountId",
	"CommitmentDiscountName",
	"CommitmentDiscountQuantity",
	"CommitmentDiscountStatus",
	"CommitmentDiscountType",
	"CommitmentDiscountUnit",
	"ConsumedQuantity",
	"ConsumedUnit",
	"ContractedCost",
	"ContractedUnitPrice",
	"EffectiveCost",
	"InvoiceId",
	"InvoiceIssuerName",
	"ListCost",
	"ListUnitPrice",
	"PricingCategory",
	"PricingQuantity",
	"PricingUnit",
	"ProviderName",
	"PublisherName",
	"RegionId",
	"RegionName",
	"ResourceId",
	"ResourceName",
	"ResourceType",
	"ServiceCategory",
	"ServiceName",
	"ServiceSubcategory",
	"SkuId",
	"SkuMeter",
	"SkuPriceDetails",
	"SkuPriceId",
	"SubAccountId",
	"SubAccountName",
	"Tags",
] as const;

/** Changes of later versions to these columns (FOCUS_Spec, specification/datasets/cost_and_usage). */
const CHANGES: Readonly<Record<ExportVersion, { added: readonly string[]; removed: readonly string[] }>> = {
	"1.2": { added: [], removed: [] },
	"1.3": { added: ["ContractApplied", "HostProviderName", "ServiceProviderName"], removed: [] },
	"1.4": { added: [], removed: ["ProviderName", "PublisherName"] },
};

/** Ledger data beyond FOCUS. Energy in watt-hours, emissions in grams CO2e. */
export const OWN_COLUMNS = [
	"x_ChargeId",
	"x_PostedAt",
	"x_Kind",
	"x_Correction",
	"x_SiteId",
	"x_CapacityType",
	"x_Accelerator",
	"x_InstanceId",
	"x_AllocationId",
	"x_PoolId",
	"x_BillLineId",
	"x_GpuHours",
	"x_EnergyWh",
	"x_MeasuredEnergyWh",
	"x_HourlyGridEnergyWh",
	"x_EmissionsGrams",
	"x_MarketEmissionsGrams",
	"x_EmbodiedGrams",
] as const;

function columnsOf(version: ExportVersion): readonly string[] {
	const steps = FOCUS_VERSIONS.slice(0, FOCUS_VERSIONS.indexOf(version) + 1).map((step) => CHANGES[step]);
	const removed = new Set(steps.flatMap((step) => step.removed));
	const columns = [...FOCUS_COLUMNS, ...steps.flatMap((step) => step.added)].filter((name) => !removed.has(name)).sort();
	return [...columns, ...OWN_COLUMNS];
}

/** The columns of an export of each version: FOCUS's in alphabetical order, then Spillway's own. */
export const EXPORT_COLUMNS: Readonly<Record<ExportVersion, readonly string[]>> = {
	"1.2": columnsOf("1.2"),
	"1.3": columnsOf("1.3"),
	"1.4": columnsOf("1.4"),
};
