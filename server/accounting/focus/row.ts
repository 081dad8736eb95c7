import type { ChargeKind } from "#server/domain/charge.ts";
import type { ExportVersion } from "#server/domain/focus-version.ts";
import { EXPORT_COLUMNS } from "./columns.ts";
import { CSV_NULL, csvCell } from "./csv.ts";
import { decimalText, divideRounded } from "./decimal.ts";
import type { BillingPeriod, ChargeCause, ChargeOwn, ExportFacts, StoredFacts } from "./facts.ts";
import type { FixedCells } from "./fixed-cells.ts";
import { hoursText, PICO, type PricedQuantity, priceTime } from "./price.ts";

type Cell = string | null;
type Category = "Usage" | "Tax" | "Credit" | "Adjustment";

/**
 * The parts of a charge's record that all charges with the same cause share: cells as CSV, with adjacent ones joined.
 * An export of millions of rows builds this once per cause and inserts each row's own cells.
 */
export interface RowPlan {
	kind: ChargeKind;
	facts: ExportFacts;
	zone: string;
	account: string;
	reservation: { id: string; status: string };
	description: string;
	commitment: { id: string; status: string | null; type: string };
	/** The contract commitment that a charge applies to; null if none, or if the version has no such column. */
	contract: { id: string } | null;
	/** The ContractApplied cell when nothing is applied: empty text if the version has no such column. */
	noContract: string;
	issuer: string;
	pricingCategory: string;
	place: string;
	sku: string;
	team: string;
	own: string;
}

export function rowPlan(
	charge: ChargeCause,
	facts: ExportFacts,
	fixed: FixedCells,
	{ period, version }: { period: BillingPeriod; version: ExportVersion },
): RowPlan {
	const columns = EXPORT_COLUMNS[version];
	const since13 = columns.includes("ServiceProviderName");
	const { commitment, region, resource, service, identity, sku } = fixed;
	const team = charge.team === "" ? null : charge.team;
	return {
		...{ kind: charge.kind, facts },
		zone: cells(fixed.zone),
		account: cells(charge.siteId, facts.siteName, "USD", period.end, period.start),
		reservation: { id: cells(commitment?.reservationId ?? null), status: cells(commitment?.reservationId ? commitment.status : null) },
		description: cells(fixed.description),
		commitment: {
			id: cells(commitment === null ? null : "Usage", commitment?.id ?? null, null),
			status: commitment?.status ?? null,
			type: cells(commitment?.type ?? null),
		},
		contract: since13 && commitment ? { id: commitment.id } : null,
		noContract: since13 ? `,${CSV_NULL}` : "",
		issuer: cells(...(since13 ? [identity.provider] : []), null, identity.invoiceIssuer),
		pricingCategory: pricingCategory(charge),
		place: cells(
			...(columns.includes("ProviderName") ? [identity.provider, identity.publisher] : []),
			region?.id ?? null,
			region?.name ?? null,
			resource?.id ?? null,
			resource?.name ?? null,
			resource?.type ?? null,
			service.category,
			service.name,
			...(since13 ? [identity.provider] : []),
			service.subcategory,
		),
		sku: cells(sku?.id ?? null, sku?.meter ?? null, sku?.details ?? null, sku?.priceId ?? null),
		team: cells(team, team, fixed.tags),
		own: cells(
			charge.kind,
			charge.correction,
			charge.siteId,
			charge.capacityType,
			charge.accelerator === "" ? null : charge.accelerator,
			charge.instanceId,
			charge.allocationId,
			charge.poolId,
			charge.billLineId,
		),
	};
}

/** From micro-dollars to 10^-15 dollars. */
const FEMTO_PER_MICRO = 1_000_000_000n;
const NO_SKU = cells(null, null, null, null);

/** The row of a charge with this cause as an RFC 4180 record with its line break, in the order of EXPORT_COLUMNS. */
export function rowRecord(plan: RowPlan, charge: ChargeOwn): string {
	const { category, priced, consumed, unit } = measureOf(plan, charge);
	const { commitment, reservation } = plan;
	const usage = category === "Usage";
	const invoiced = category === "Tax" || category === "Credit";
	const used = usage && commitment.status !== "Unused";
	const committed = usage ? commitment.status : null;
	// One join instead of forty concatenations, which would leave a tree of strings behind for every row.
	return [
		plan.zone,
		decimalText(charge.billedMicroUsd, 6),
		plan.account,
		reservation.id,
		usage ? reservation.status : CSV_NULL,
		category,
		charge.correctsPastPeriod ? "Correction" : CSV_NULL,
		plan.description,
		usage ? "Usage-Based" : "One-Time",
		charge.periodEnd,
		charge.periodStart,
		commitment.id,
		committed === null ? CSV_NULL : (priced?.quantity ?? "0"),
		committed ?? CSV_NULL,
		commitment.type,
		committed === null ? CSV_NULL : unit,
		used ? (consumed ?? CSV_NULL) : CSV_NULL,
		`${used ? unit : CSV_NULL}${contractCell(plan, committed === null ? null : charge)}`,
		decimalText(charge.contractedMicroUsd, 6),
		priced?.contractedUnitPrice ?? CSV_NULL,
		decimalText(charge.effectiveMicroUsd, 6),
		plan.issuer,
		decimalText(charge.listMicroUsd, 6),
		priced?.listUnitPrice ?? CSV_NULL,
		invoiced ? CSV_NULL : plan.pricingCategory,
		priced?.quantity ?? CSV_NULL,
		priced ? unit : CSV_NULL,
		plan.place,
		invoiced ? NO_SKU : plan.sku,
		plan.team,
		charge.id,
		charge.postedAt,
		plan.own,
		hoursText(charge.gpuMs),
		decimalText(charge.energyMilliWh, 3),
		decimalText(charge.measuredEnergyMilliWh, 3),
		decimalText(charge.hourlyGridMilliWh, 3),
		grams(charge.emissionsMilligrams),
		grams(charge.marketEmissionsMilligrams),
		`${grams(charge.embodiedMilligrams)}\r\n`,
	].join(",");
}

/** The ContractApplied cell with its leading comma; the full effective cost of the charge is applied to its commitment. */
function contractCell({ contract, noContract }: RowPlan, charge: ChargeOwn | null): string {
	if (contract === null || charge === null) return noContract;
	const cost = decimalText(charge.effectiveMicroUsd, 6);
	const id = JSON.stringify(contract.id);
	return `,${csvCell(`{"Elements":[{"ContractId":${id},"ContractCommitmentId":${id},"ContractCommitmentAppliedCost":${cost}}]}`)}`;
}

function cells(...values: Cell[]): string {
	return values.map((value) => (value === null ? CSV_NULL : csvCell(value))).join(",");
}

function grams(milligrams: bigint | null): string {
	return milligrams === null ? CSV_NULL : decimalText(milligrams, 3);
}

function pricingCategory({ capacityType, kind }: ChargeCause): string {
	if (kind === "egress" || kind === "storage") return "Standard";
	switch (capacityType) {
		case "spot":
			return "Dynamic";
		case "reserved":
			return "Committed";
		// The rate of owned hardware is set in advance by its rate card.
		case "owned":
		case "on_demand":
			return "Standard";
	}
}

interface Measure {
	category: Category;
	priced: PricedQuantity | null;
	consumed: Cell;
	unit: string;
}

/** A correction of money without time has neither quantity nor unit price: it is an adjustment, not usage. */
function measureOf({ kind, facts }: Pick<RowPlan, "kind" | "facts">, charge: ChargeOwn): Measure {
	const none = { priced: null, consumed: null, unit: "Hours" };
	if (kind === "tax") return { category: "Tax", ...none };
	if (kind === "credit") return { category: "Credit", ...none };
	if ((kind === "egress" || kind === "storage") && facts.stored)
		return storedMeasure(kind, charge, facts.stored) ?? { category: "Adjustment", ...none };
	if (kind === "egress") return dataOut(charge, facts) ?? { category: "Adjustment", ...none };
	if (kind === "storage") return diskSpace(charge, facts) ?? { category: "Adjustment", ...none };
	if (kind === "commitment") return unusedTime(charge, facts);
	const signedMs = charge.gpuMs < 0n ? -charge.lengthMs : charge.lengthMs;
	const byGpu = facts.instance === null;
	const ms = charge.gpuMs === 0n && kind === "adjustment" ? 0n : byGpu ? charge.gpuMs : signedMs;
	const onDemand = facts.instance?.onDemandMicroUsdPerHour ?? null;
	const agreed = byGpu ? facts.poolMicroUsdPerGpuHour : (facts.instance?.microUsdPerHour ?? null);
	const priced = priceTime({
		ms,
		listMicroUsd: charge.listMicroUsd,
		contractedMicroUsd: charge.contractedMicroUsd,
		listMicroUsdPerHour: byGpu ? agreed : (onDemand ?? agreed),
		contractedMicroUsdPerHour: agreed,
	});
	if (priced === null || (kind === "adjustment" && ms === 0n)) return { category: "Adjustment", ...none };
	return { category: "Usage", priced, consumed: hoursText(ms), unit: byGpu ? "GPU-Hours" : "Hours" };
}

/** Unused capacity has a cost but no price: its time is its cost divided by the amortized price of a machine. */
function unusedTime(charge: ChargeOwn, { commitment }: ExportFacts): Measure {
	const rate = commitment?.microUsdPerHour ?? null;
	const quantity = rate === null || rate === 0n ? "0" : decimalText(divideRounded(charge.effectiveMicroUsd * PICO, rate), 12);
	return { category: "Usage", priced: { quantity, listUnitPrice: "0", contractedUnitPrice: "0" }, consumed: null, unit: "Hours" };
}

/** The volume at the first tier's price, which is the offer's price: exact until the month's volume reaches the second tier. */
function dataOut(charge: ChargeOwn, { instance }: ExportFacts): Measure | null {
	if (!instance || instance.egressMicroUsdPerGiB === 0n) return null;
	const price = instance.egressMicroUsdPerGiB;
	const quantity = decimalText(divideRounded(charge.listMicroUsd * PICO, price), 12);
	if (charge.contractedMicroUsd !== charge.listMicroUsd) return null;
	const unitPrice = decimalText(price, 6);
	return {
		category: "Usage",
		priced: { quantity, listUnitPrice: unitPrice, contractedUnitPrice: unitPrice },
		consumed: quantity,
		unit: "GiB",
	};
}

/**
 * The price of a GiB per month, and the GiB-months that yield the charge at that price: the rounding is below one
 * micro-dollar.
 */
function diskSpace(charge: ChargeOwn, { instance }: ExportFacts): Measure | null {
	const disk = instance?.disk;
	if (!disk || charge.contractedMicroUsd !== charge.listMicroUsd) return null;
	const gib = BigInt(disk.gib);
	const unitPrice = decimalText(divideRounded(disk.microUsdPerMonth * FEMTO_PER_MICRO, gib), 15);
	const quantity = decimalText(divideRounded(charge.listMicroUsd * gib * PICO, disk.microUsdPerMonth), 12);
	return {
		category: "Usage",
		priced: { quantity, listUnitPrice: unitPrice, contractedUnitPrice: unitPrice },
		consumed: quantity,
		unit: "GiB-Months",
	};
}

/**
 * For a result in a store: the quantity that yields the charge at the price in force at its end, or the latest price
 * if none is in force.
 */
function storedMeasure(kind: "egress" | "storage", charge: ChargeOwn, { prices }: StoredFacts): Measure | null {
	const endMs = Date.parse(charge.periodEnd);
	const known = prices.flatMap(({ fromMs, ...price }) => {
		const microUsd = kind === "storage" ? price.microUsdPerGiBMonth : price.microUsdPerGiBEgress;
		return fromMs < endMs && microUsd !== null && microUsd > 0n ? [microUsd] : [];
	});
	const price = known.at(-1);
	if (price === undefined || charge.contractedMicroUsd !== charge.listMicroUsd) return null;
	const unitPrice = decimalText(price, 6);
	const quantity = decimalText(divideRounded(charge.listMicroUsd * PICO, price), 12);
	return {
		category: "Usage",
		priced: { quantity, listUnitPrice: unitPrice, contractedUnitPrice: unitPrice },
		consumed: quantity,
		unit: kind === "storage" ? "GiB-Months" : "GiB",
	};
}
