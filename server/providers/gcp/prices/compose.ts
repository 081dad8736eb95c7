import { microToUsdText } from "#server/kernel/money.ts";
import type { RatePrice, ZoneRate } from "../offers.ts";
import type { Sku } from "./catalogue.ts";

/** The parts of a machine as the catalogue sells them, by what their descriptions begin with. */
interface Parts {
	core: string;
	ram: string;
	gpu: string;
}
const G2: Parts = { core: "G2 Instance Core", ram: "G2 Instance Ram", gpu: "Nvidia L4 GPU" };
const A2: Parts = { core: "A2 Instance Core", ram: "A2 Instance Ram", gpu: "Nvidia Tesla A100 GPU" };

/**
 * Families whose price is the sum of these parts and nothing else. Those with local SSDs inside (a2-ultragpu, a3) are
 * sold in more parts and keep the snapshot's price.
 */
const PARTS: readonly (readonly [prefix: string, parts: Parts])[] = [
	["g2-standard-", G2],
	["a2-highgpu-", A2],
	["a2-megagpu-", A2],
];

const NANO_PER_MICRO = 1_000n;
const NANO_PER_USD = 1_000_000_000n;
/** A price this many times off its neighbours is taken for an error, not for a bargain. */
const FACTOR_MAX = 10n;
const SOURCE = "Cloud Billing Catalog, sum of cores, memory and GPUs";

type Usage = "on_demand" | "spot";

/** The snapshot's rows with the catalogue's prices where it has them. Pure. */
export function composeRates(snapshot: readonly ZoneRate[], skus: readonly Sku[], asOf: string): ZoneRate[] {
	const unit = unitPrices(skus);
	const composed = snapshot.map((rate) => ({ onDemand: sumOf(rate, "on_demand", unit), spot: sumOf(rate, "spot", unit) }));
	return snapshot.map((rate, i) => {
		const neighbours = (usage: Usage) =>
			composed.filter((_, j) => snapshot[j]?.instanceType === rate.instanceType).map((c) => c[keyOf(usage)]);
		const onDemand = composed[i]?.onDemand ?? null;
		const spot = composed[i]?.spot ?? null;
		return {
			...rate,
			onDemand: onDemand === null ? rate.onDemand : judged(onDemand, rate.onDemand, neighbours("on_demand"), asOf),
			spot: spot === null ? rate.spot : judged(spot, rate.spot, neighbours("spot"), asOf),
		};
	});
}

const keyOf = (usage: Usage) => (usage === "spot" ? "spot" : "onDemand");

/** Nano-dollars of one unit for an hour, by region and description; null where the catalogue has two prices for one thing. */
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

/** Null for what is not sold by the hour, not in dollars, at several rates, or for nothing. */
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

/** Micro-dollars of the whole machine for an hour, rounded up; null when a part has no price. */
function sumOf(rate: ZoneRate, usage: Usage, unit: ReadonlyMap<string, bigint | null>): bigint | null {
	const parts = PARTS.find(([prefix]) => rate.instanceType.startsWith(prefix))?.[1];
	if (!parts || !Number.isInteger(rate.memoryGiB)) return null;
	const spot = usage === "spot";
	const price = (name: string) => unit.get(`${rate.region}|${name}`) ?? null;
	const core = price(spot ? `Spot Preemptible ${parts.core}` : parts.core);
	const ram = price(spot ? `Spot Preemptible ${parts.ram}` : parts.ram);
	const gpu = price(spot ? `${parts.gpu} attached to Spot Preemptible VMs` : parts.gpu);
	if (core === null || ram === null || gpu === null) return null;
	const nanos = core * BigInt(rate.vcpus) + ram * BigInt(rate.memoryGiB) + gpu * BigInt(rate.gpus);
	return (nanos + NANO_PER_MICRO - 1n) / NANO_PER_MICRO;
}

/** The price, or why it is not believed: it is far off the snapshot's, or off the same machine's in the middle of the regions. */
function judged(price: bigint, listed: RatePrice | null, everywhere: readonly (bigint | null)[], asOf: string): RatePrice {
	const sorted = everywhere.filter((other) => other !== null).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	const middle = sorted[Math.floor(sorted.length / 2)] ?? null;
	for (const [whose, usual] of [
		["the snapshot's", listed?.microUsdPerHour ?? null],
		["that of the same machine elsewhere", middle],
	] as const) {
		if (usual === null || (price * FACTOR_MAX >= usual && price <= usual * FACTOR_MAX)) continue;
		const way = price < usual ? "below" : "above";
		const why = `$${microToUsdText(price)} is more than ${FACTOR_MAX} times ${way} ${whose} ($${microToUsdText(usual)})`;
		return { microUsdPerHour: null, asOf, source: `${SOURCE}: refused, since ${why}` };
	}
	return { microUsdPerHour: price, asOf, source: SOURCE };
}
