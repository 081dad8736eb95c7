import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type PoolPower, powerOf } from "./carbon.ts";

/** A place where the same GPU time could have been used. */
export interface OtherPlace extends Pick<PoolPower, "wattsPerGpu" | "pue" | "gramsPerKwh"> {
	/** Energy and emissions are unknown unless all three are known. */
	pue: number;
}

/** Cloud emissions and their GPU time; time with unknown emissions is excluded. */
export interface Emitted {
	gpuMs: bigint;
	milligrams: bigint;
}

export interface Avoided {
	/** GPU time included in the comparison. */
	gpuMs: bigint;
	actualMilligrams: bigint;
	/** What the same GPU time would have emitted at the other place. */
	counterfactualMilligrams: bigint;
	/** counterfactual − actual; negative: more was emitted than at the other place. */
	avoidedMilligrams: bigint;
}

export const NOTHING_AVOIDED: Avoided = { gpuMs: 0n, actualMilligrams: 0n, counterfactualMilligrams: 0n, avoidedMilligrams: 0n };

/**
 * Emissions of the same GPU-hours at another place: W × PUE × GPU-hours × g/kWh, the formula for operational emissions
 * of a busy GPU. null when the place's power or grid is unknown.
 */
export function avoidedAgainst(place: OtherPlace, actual: Emitted): Avoided | null {
	const power = powerOf({ ...place, load: "busy" }, 0);
	if (!power || place.gramsPerKwh === null) return null;
	const [pue, grid] = [millionths(place.pue), millionths(place.gramsPerKwh * 1_000)];
	// nanowatts × millionths of PUE × ms × millionths of mg/kWh → milligrams
	const scale = BigInt(HOUR_MS) * 1_000_000_000_000n * 1_000_000n * 1_000_000n;
	const counterfactualMilligrams = mulDivFloor(power.nanowatts * pue * actual.gpuMs, grid, scale).quotient;
	return {
		gpuMs: actual.gpuMs,
		actualMilligrams: actual.milligrams,
		counterfactualMilligrams,
		avoidedMilligrams: counterfactualMilligrams - actual.milligrams,
	};
}

export function addAvoided(a: Avoided, b: Avoided): Avoided {
	return {
		gpuMs: a.gpuMs + b.gpuMs,
		actualMilligrams: a.actualMilligrams + b.actualMilligrams,
		counterfactualMilligrams: a.counterfactualMilligrams + b.counterfactualMilligrams,
		avoidedMilligrams: a.avoidedMilligrams + b.avoidedMilligrams,
	};
}

function millionths(value: number): bigint {
	return BigInt(Math.round(value * 1_000_000));
}
