import { assert } from "#server/kernel/assert.ts";
import { mulDivFloor } from "#server/kernel/money.ts";

/**
 * What is known of the power behind some GPUs. Energy = board power × load × time × PUE; emissions = energy × grid
 * intensity: the method of Lacoste et al. 2019, "Quantifying the Carbon Emissions of Machine Learning",
 * arXiv:1910.09700 (the ML CO2 Impact calculator), with the PUE that it leaves to the provider.
 */
export interface PowerFacts {
	/** Power of one GPU under full load, W; null when the model is not known. */
	wattsPerGpu: number | null;
	/** Energy of the data centre per energy of its machines, >= 1. null: not known, counted as 1, a lower bound. */
	pue: number | null;
	/** Of the grid, g CO2e per kWh; null when no source has it, and then emissions are not known. */
	gramsPerKwh: number | null;
	load: "busy" | "idle";
}

/**
 * Share of the board power that is drawn, in thousandths.
 * busy: utilisation is not measured yet, so full board power is taken, as Lacoste et al. do: an upper estimate.
 * idle: median of minimum/maximum watts of the six GPUs in Cloud Carbon Footprint's constants (A100 46/407, A10G 18/153,
 * T4 8/71, K80 35/306, P100 36/306, V100 35/306), https://github.com/cloud-carbon-footprint/cloud-carbon-footprint.
 */
export const LOAD_PERMILLE = { busy: 1_000n, idle: 114n } as const;

export interface Footprint {
	energyMilliWh: bigint;
	/** null when the intensity or the power is not known. */
	emissionsMilligrams: bigint | null;
}

const PERMILLE = 1_000n;
const MS_PER_HOUR = 3_600_000n;
const MILLI_WH_PER_KWH = 1_000_000n;

/**
 * Footprint of one GPU over `elapsedMs`, rounded down once to the milliwatt-hour and once to the milligram.
 * For a part of a usage subtract two of these; parts then add up to the whole exactly.
 * Without known power the energy is 0 and the emissions are null: not known, rather than none.
 */
export function footprintOfElapsed(power: PowerFacts, elapsedMs: number): Footprint {
	assert(Number.isSafeInteger(elapsedMs) && elapsedMs >= 0, `elapsedMs must be a whole number >= 0, got ${elapsedMs}`);
	if (power.wattsPerGpu === null) return { energyMilliWh: 0n, emissionsMilligrams: null };
	const milliwatts = thousandths(power.wattsPerGpu, "wattsPerGpu");
	const factors = LOAD_PERMILLE[power.load] * thousandths(power.pue ?? 1, "pue");
	const energyMilliWh = mulDivFloor(milliwatts * BigInt(elapsedMs), factors, MS_PER_HOUR * PERMILLE * PERMILLE).quotient;
	if (power.gramsPerKwh === null) return { energyMilliWh, emissionsMilligrams: null };
	const milligramsPerKwh = thousandths(power.gramsPerKwh, "gramsPerKwh");
	return { energyMilliWh, emissionsMilligrams: mulDivFloor(energyMilliWh, milligramsPerKwh, MILLI_WH_PER_KWH).quotient };
}

/** Factors come as decimals of at most three places; finer ones are rounded to that. */
function thousandths(value: number, what: string): bigint {
	assert(Number.isFinite(value) && value >= 0, `${what} must be a number >= 0, got ${value}`);
	return BigInt(Math.round(value * 1_000));
}
