import { microToUsdText } from "#server/kernel/money.ts";
import type { RatePrice, ZoneRate } from "../offers.ts";
import type { Sku } from "./catalogue.ts";

/** The parts of a machine in the catalog, by the start of their descriptions. */
interface Parts {
	core: string;
	ram: string;
	gpu: string;
}
/** TPUs are sold whole: a chip's price includes its share of the machine ("Cloud TPU pricing"). */
interface Chips {
	chip: string;
}
const G2: Parts = { core: "G2 Instance Core", ram: "G2 Instance Ram", gpu: "Nvidia L4 GPU" };
const A2: Parts = { core: "A2 Instance Core", ram: "A2 Instance Ram", gpu: "Nvidia Tesla A100 GPU" };

/**
 * Families with a price that is the sum of exactly these parts. Those with built-in local SSDs (a2-ultragpu, a3) have more parts
 * and keep the snapshot's price.
 */
const PARTS: readonly (readonly [prefix: string, parts: Parts | Chips])[] = [
	["g2-standard-", G2],
	["a2-highgpu-", A2],
	["a2-megagpu-", A2],
	["ct5p-hightpu-", { chip: "TpuV5p" }],
	["ct6e-standard-", { chip: "TpuV6e" }],
];
const partsOf = (instanceType: string) => PARTS.find(([prefix]) => instanceType.startsWith(prefix))?.[1] ?? null;

const NANO_PER_MICRO = 1_000n;
const NANO_PER_USD = 1_000_000_000n;
/** A price that differs from its neighbors' by this factor counts as an error, not as a bargain. */
const FACTOR_MAX = 10n;
const SOURCE = "Cloud Billing Catalog, sum of cores, memory and GPUs";
const CHIP_SOURCE = "Cloud Billing Catalog, price of a chip × chips";

type Usage = "on_demand" | "spot";

/**
 * The snapshot's rows with catalog prices where available, followed by its types in regions that only the catalog has. Pure.
 */
export function composeRates(listed: readonly ZoneRate[], skus: readonly Sku[], asOf: string): ZoneRate[] {
	const unit = unitPrices(skus);
	const snapshot = [...listed, ...rowsElsewhere(listed, skus, unit, asOf)];
	const composed = snapshot.map((rate) => ({ onDemand: sumOf(rate, "on_demand", unit), spot: sumOf(rate, "spot", unit) }));
	return snapshot.map((rate, i) => {
		const neighbours = (usage: Usage) =>
			composed.filter((_, j) => snapshot[j]?.instanceType === rate.instanceType).map((c) => c[keyOf(usage)]);
		const onDemand = composed[i]?.onDemand ?? null;
		const spot = composed[i]?.spot ?? null;
		return {
			...rate,
			onDemand:
				onDemand === null ? rate.onDemand : judged(rate, onDemand, { price: rate.onDemand, elsewhere: neighbours("on_demand") }, asOf),
			spot: spot === null ? rate.spot : judged(rate, spot, { price: rate.spot, elsewhere: neighbours("spot") }, asOf),
		};
	});
}

/** The list's types, not yet priced, in each region that has no list price and an on-demand price in the catalog. */
function rowsElsewhere(
	listed: readonly ZoneRate[],
	skus: readonly Sku[],
	unit: ReadonlyMap<string, bigint | null>,
	asOf: string,
): ZoneRate[] {
	const regions = [...new Set(skus.flatMap((sku) => sku.serviceRegions))].sort();
	const known = new Set(listed.map(({ instanceType, region }) => `${region}|${instanceType}`));
	const shapes = new Map(listed.map((rate) => [rate.instanceType, rate]));
	const unpriced: RatePrice = { microUsdPerHour: null, asOf, source: SOURCE };
	return [...shapes.values()].flatMap((shape) =>
		regions
			.filter((region) => !known.has(`${region}|${shape.instanceType}`))
			.map((region) => ({ ...shape, region, zone: null, onDemand: unpriced, spot: null }))
			.filter((rate) => sumOf(rate, "on_demand", unit) !== null),
	);
}

const keyOf = (usage: Usage) => (usage === "spot" ? "spot" : "onDemand");

/** Nano-dollars per unit and hour, by region and description; null if the catalog has two prices for one item. */
function unitPrices(skus: readonly Sku[]): Map<string, bigint | null> {
	const prices = new Map<string, bigint | null>();
	for (const sku of skus) {
		const nanos = nanosOf(sku);
		if (nanos === null) continue;
		const name = sku.description.replace(/ running in .*$/, "");
		for (const region of sku.serviceRegions) {
			const key = `${region}|${name}`;
			const known = prices.get(key);
			prices.set(key, known === undefined || known === nanos ? nanos : null);
		}
	}
	return prices;
}

/** null for items that are not sold per hour, not in dollars, at several rates, or free. */
function nanosOf({ pricingInfo, category }: Sku): bigint | null {
	if (category.usageType !== "OnDemand" && category.usageType !== "Preemptible") return null;
	const [pricing, ...others] = pricingInfo;
	if (!pricing || others.length > 0) return null;
	const { usageUnit, tieredRates } = pricing.pricingExpression;
	const [rate, ...more] = tieredRates;
	if (!rate || more.length > 0 || rate.startUsageAmount !== 0) return null;
	const isHourly = usageUnit === "h" || usageUnit === "GiBy.h";
	if (!isHourly || rate.unitPrice.currencyCode !== "USD") return null;
	const nanos = BigInt(rate.unitPrice.units) * NANO_PER_USD + BigInt(rate.unitPrice.nanos);
	return nanos > 0n ? nanos : null;
}

/** Micro-dollars per hour of the whole machine, rounded up; null if a part has no price. */
function sumOf(rate: ZoneRate, usage: Usage, unit: ReadonlyMap<string, bigint | null>): bigint | null {
	const parts = partsOf(rate.instanceType);
	const spot = usage === "spot";
	const price = (name: string) => unit.get(`${rate.region}|${name}`) ?? null;
	if (parts !== null && "chip" in parts) {
		const chip = price(spot ? `${parts.chip} attached to Spot Preemptible VMs` : parts.chip);
		return chip === null ? null : toMicro(chip * BigInt(rate.gpus));
	}
	if (parts === null || !Number.isInteger(rate.memoryGiB)) return null;
	const core = price(spot ? `Spot Preemptible ${parts.core}` : parts.core);
	const ram = price(spot ? `Spot Preemptible ${parts.ram}` : parts.ram);
	const gpu = price(spot ? `${parts.gpu} attached to Spot Preemptible VMs` : parts.gpu);
	if (core === null || ram === null || gpu === null) return null;
	return toMicro(core * BigInt(rate.vcpus) + ram * BigInt(rate.memoryGiB) + gpu * BigInt(rate.gpus));
}

const toMicro = (nanos: bigint) => (nanos + NANO_PER_MICRO - 1n) / NANO_PER_MICRO;

/**
 * The price, or why it is rejected: it is far from the snapshot's, or from the median of the same machine's prices in all
 * regions.
 */
function judged(
	{ instanceType }: ZoneRate,
	price: bigint,
	usually: { price: RatePrice | null; elsewhere: readonly (bigint | null)[] },
	asOf: string,
): RatePrice {
	const parts = partsOf(instanceType);
	const source = parts !== null && "chip" in parts ? CHIP_SOURCE : SOURCE;
	const sorted = usually.elsewhere.filter((other) => other !== null).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	const middle = sorted[Math.floor(sorted.length / 2)] ?? null;
	for (const [whose, usual] of [
		["the snapshot's", usually.price?.microUsdPerHour ?? null],
		["that of the same machine elsewhere", middle],
	] as const) {
		if (usual === null || (price * FACTOR_MAX >= usual && price <= usual * FACTOR_MAX)) continue;
		const way = price < usual ? "below" : "above";
		const why = `$${microToUsdText(price)} is more than ${FACTOR_MAX} times ${way} ${whose} ($${microToUsdText(usual)})`;
		return { microUsdPerHour: null, asOf, source: `${source}: refused, since ${why}` };
	}
	return { microUsdPerHour: price, asOf, source };
}
