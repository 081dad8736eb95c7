import { decimalText, divideRounded } from "./decimal.ts";
import type { BillingPeriod, ExportCharge, ExportFacts } from "./facts.ts";
import type { FixedCells } from "./fixed-cells.ts";
import { hoursText, PICO, type PricedQuantity, priceTime } from "./price.ts";

type Cell = string | null;
type Category = "Usage" | "Tax" | "Credit" | "Adjustment";

/**
 * One row of the export, in the order of EXPORT_COLUMNS. The cells that neighbours share are made before (fixedCells), as an
 * export of millions of rows calls this.
 */
export function rowOf(charge: ExportCharge, facts: ExportFacts, fixed: FixedCells, period: BillingPeriod): Cell[] {
	const measure = measureOf(charge, facts);
	const { category, priced } = measure;
	const { commitment, region, resource, service, identity } = fixed;
	const sku = category === "Tax" || category === "Credit" ? null : fixed.sku;
	const reserved = commitment?.reservationId ?? null;
	const team = charge.team === "" ? null : charge.team;
	const used = category === "Usage" && commitment?.status !== "Unused";
	return [
		fixed.zone,
		decimalText(charge.billedMicroUsd, 6),
		charge.siteId,
		facts.siteName,
		"USD",
		period.end,
		period.start,
		reserved,
		reserved === null || category !== "Usage" ? null : (commitment?.status ?? null),
		category,
		charge.correctsPastPeriod ? "Correction" : null,
		fixed.description,
		category === "Usage" ? "Usage-Based" : "One-Time",
		charge.periodEnd,
		charge.periodStart,
		commitment === null ? null : "Usage",
		commitment?.id ?? null,
		null,
		commitment && category === "Usage" ? (priced?.quantity ?? "0") : null,
		commitment && category === "Usage" ? commitment.status : null,
		commitment?.type ?? null,
		commitment && category === "Usage" ? measure.unit : null,
		used ? measure.consumed : null,
		used ? measure.unit : null,
		decimalText(charge.contractedMicroUsd, 6),
		priced?.contractedUnitPrice ?? null,
		decimalText(charge.effectiveMicroUsd, 6),
		null,
		identity.invoiceIssuer,
		decimalText(charge.listMicroUsd, 6),
		priced?.listUnitPrice ?? null,
		category === "Tax" || category === "Credit" ? null : pricingCategory(charge),
		priced?.quantity ?? null,
		priced ? measure.unit : null,
		identity.provider,
		identity.publisher,
		region?.id ?? null,
		region?.name ?? null,
		resource?.id ?? null,
		resource?.name ?? null,
		resource?.type ?? null,
		service.category,
		service.name,
		service.subcategory,
		sku?.id ?? null,
		sku?.meter ?? null,
		sku?.details ?? null,
		sku?.priceId ?? null,
		team,
		team,
		fixed.tags,
		...ownCells(charge),
	];
}

function ownCells(c: ExportCharge): Cell[] {
	return [
		c.id,
		c.postedAt,
		c.kind,
		c.correction,
		c.siteId,
		c.capacityType,
		c.accelerator === "" ? null : c.accelerator,
		c.instanceId,
		c.allocationId,
		c.poolId,
		c.billLineId,
		hoursText(c.gpuMs),
		decimalText(c.energyMilliWh, 3),
		decimalText(c.measuredEnergyMilliWh, 3),
		decimalText(c.hourlyGridMilliWh, 3),
		grams(c.emissionsMilligrams),
		grams(c.marketEmissionsMilligrams),
		grams(c.embodiedMilligrams),
	];
}

function grams(milligrams: bigint | null): Cell {
	return milligrams === null ? null : decimalText(milligrams, 3);
}

function pricingCategory({ capacityType, kind }: ExportCharge): string {
	if (kind === "egress" || kind === "storage") return "Standard";
	switch (capacityType) {
		case "spot":
			return "Dynamic";
		case "reserved":
			return "Committed";
		// The rate of owned hardware is set before its use, by its rate card.
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

/** A correction that moves no time but money alone has neither quantity nor unit price: it is an adjustment, not usage. */
function measureOf(charge: ExportCharge, facts: ExportFacts): Measure {
	const none = { priced: null, consumed: null, unit: "Hours" };
	if (charge.kind === "tax") return { category: "Tax", ...none };
	if (charge.kind === "credit") return { category: "Credit", ...none };
	if (charge.kind === "egress") return dataOut(charge, facts) ?? { category: "Adjustment", ...none };
	if (charge.kind === "commitment") return unusedTime(charge, facts);
	const signedMs = charge.gpuMs < 0n ? -charge.lengthMs : charge.lengthMs;
	const byGpu = facts.instance === null;
	const ms = charge.gpuMs === 0n && charge.kind === "adjustment" ? 0n : byGpu ? charge.gpuMs : signedMs;
	const onDemand = facts.instance?.onDemandMicroUsdPerHour ?? null;
	const agreed = byGpu ? facts.poolMicroUsdPerGpuHour : (facts.instance?.microUsdPerHour ?? null);
	const priced = priceTime({
		ms,
		listMicroUsd: charge.listMicroUsd,
		contractedMicroUsd: charge.contractedMicroUsd,
		listMicroUsdPerHour: byGpu ? agreed : (onDemand ?? agreed),
		contractedMicroUsdPerHour: agreed,
	});
	if (priced === null || (charge.kind === "adjustment" && ms === 0n)) return { category: "Adjustment", ...none };
	return { category: "Usage", priced, consumed: hoursText(ms), unit: byGpu ? "GPU-Hours" : "Hours" };
}

/** What nobody used has a cost and no price of its own: its time is its cost by the amortised price of a machine. */
function unusedTime(charge: ExportCharge, { commitment }: ExportFacts): Measure {
	const rate = commitment?.microUsdPerHour ?? null;
	const quantity = rate === null || rate === 0n ? "0" : decimalText(divideRounded(charge.effectiveMicroUsd * PICO, rate), 12);
	return { category: "Usage", priced: { quantity, listUnitPrice: "0", contractedUnitPrice: "0" }, consumed: null, unit: "Hours" };
}

/** The volume at the first tier's price, which is the offer's: exact until the month's volume reaches the second. */
function dataOut(charge: ExportCharge, { instance }: ExportFacts): Measure | null {
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
