import { TPU_SLICES } from "#server/domain/tpu-slice.ts";
import type { ChipPrice, RatePrice, ZoneRate } from "../offers.ts";

/**
 * Prices of the slices' hosts, by accelerator type and region: Google bills a slice by the chip, so a host costs its chips. Chips that
 * Compute Engine also sells by the machine have the price of such a machine, divided by its chips. A slice without a price has a row
 * for no region, which makes its offers show that they have none. Pure.
 */
export function sliceRates(machineRates: readonly ZoneRate[], chipPrices: readonly ChipPrice[]): ZoneRate[] {
	const chips = [...chipsOfMachines(machineRates), ...chipPrices];
	return TPU_SLICES.flatMap(({ acceleratorType, accelerator, chipsPerHost, vcpus, memoryGiB }) => {
		const host = { instanceType: acceleratorType, zone: null, accelerator, gpus: chipsPerHost, vcpus, memoryGiB };
		const priced = chips
			.filter((chip) => chip.accelerator === accelerator)
			.map(({ region, onDemand, spot }) => ({
				...{ ...host, region },
				onDemand: ofChips(onDemand, chipsPerHost, 1),
				spot: spot && ofChips(spot, chipsPerHost, 1),
			}));
		return priced.length > 0 ? priced : [{ ...host, region: "", onDemand: NO_PRICE, spot: null }];
	});
}

const NO_PRICE: RatePrice = { microUsdPerHour: null, asOf: "1970-01-01", source: "no list has a price of this chip" };

/** Price of one chip by model and region, from the smallest machine with such chips. */
function chipsOfMachines(machineRates: readonly ZoneRate[]): ChipPrice[] {
	const models = new Set(TPU_SLICES.map(({ accelerator }) => accelerator));
	const machines = machineRates.filter(({ accelerator, zone }) => models.has(accelerator) && zone === null);
	const found = new Map<string, ChipPrice>();
	for (const { accelerator, region, gpus, onDemand, spot } of machines.toSorted((a, b) => a.gpus - b.gpus)) {
		const key = `${region}|${accelerator}`;
		if (found.has(key)) continue;
		found.set(key, { accelerator, region, onDemand: ofChips(onDemand, 1, gpus), spot: spot && ofChips(spot, 1, gpus) });
	}
	return [...found.values()];
}

/** The price of `chips` chips from that of `of` chips, rounded up to a micro-dollar. */
function ofChips(price: RatePrice, chips: number, of: number): RatePrice {
	if (price.microUsdPerHour === null) return price;
	return { ...price, microUsdPerHour: (price.microUsdPerHour * BigInt(chips) + BigInt(of) - 1n) / BigInt(of) };
}
