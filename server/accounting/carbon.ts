import { assert } from "#server/kernel/assert.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { Amounts } from "./amounts.ts";
import { bucketStartMs, type Interval } from "./calendar.ts";

/**
 * Known facts about the power, grid and manufacturing of some GPUs. Energy = power × time × PUE; emissions = energy ×
 * grid intensity: the method of Lacoste et al. 2019, "Quantifying the Carbon Emissions of Machine Learning",
 * arXiv:1910.09700 (the ML CO2 Impact calculator), plus the PUE, which it leaves to the provider. docs/carbon.md has
 * every formula with units, sources and a worked example.
 */
export interface PowerFacts {
	/** Power of one GPU under full load, W; null for an unknown model. */
	wattsPerGpu: number | null;
	/** Power of one idle GPU, W; absent: IDLE_PERMILLE of wattsPerGpu. */
	idleWattsPerGpu?: number | undefined;
	/**
	 * Whether both watts are fitted to a measurement at the machines instead of coming from a data sheet; absent: they
	 * are estimates.
	 */
	wattsAreMeasured?: boolean;
	/** Utilization of a busy GPU, in permille; absent: not measured, so full power is an upper bound. */
	utilisationPermille?: number | undefined;
	/** Measurements of its GPUs, by start of the UTC minute; they take precedence over every estimate (MEASURED_LATE_MS). */
	measured?: ReadonlyMap<number, MeasuredMinute> | undefined;
	/** Energy of the data center per energy of its machines, >= 1. null: unknown, counted as 1, a lower bound. */
	pue: number | null;
	/** Yearly average of the grid, g CO2e per kWh; null when no source has it. */
	gramsPerKwh: number | null;
	/** Hourly grid intensity, mg CO2e per kWh, by start of the UTC hour; it takes precedence over the average. */
	hourlyMilligramsPerKwh?: ReadonlyMap<number, number> | undefined;
	/** For the power contract, g CO2e per kWh; null or absent: none known, and the grid's residual mix is not assumed. */
	contractGramsPerKwh?: number | null | undefined;
	/** Share of the machine's manufacturing emissions per GPU and hour, g CO2e; null or absent: not published. */
	embodiedGramsPerGpuHour?: number | null | undefined;
	load: "busy" | "idle";
}

/** One minute of measured GPUs: the mean over them. */
export interface MeasuredMinute {
	/** null: the driver does not report power, so it is estimated from utilization. */
	wattsPerGpu: number | null;
	utilisationPermille: number;
}

/**
 * A minute is known once it is over and reported. So that a charge only uses known data, the power at an instant is
 * the power measured this much earlier: the curve is shifted by two minutes and keeps its area. The first two minutes
 * of a machine are estimated, and its last two are not counted.
 */
export const MEASURED_LATE_MS = 2 * MINUTE_MS;

/**
 * Idle power of a GPU as a share of its full power, in permille: the median of minimum/maximum watts of the six GPUs
 * in Cloud Carbon Footprint's constants (A100 46/407, A10G 18/153, T4 8/71, K80 35/306, P100 36/306, V100 35/306),
 * https://github.com/cloud-carbon-footprint/cloud-carbon-footprint.
 */
export const IDLE_PERMILLE = 114n;

/** The non-monetary part of a charge. */
export type Footprint = Omit<Amounts, `${string}MicroUsd` | "gpuMs">;

const PERMILLE = 1_000n;
const MILLI_WH_PER_KWH = 1_000_000n;
const MS_PER_HOUR = BigInt(HOUR_MS);

/**
 * Footprint of one GPU over a piece of time within one UTC hour: the difference of two running totals since the start
 * of the hour, each rounded down once, so that the parts of an hour add up to the hour exactly. Without known power
 * the energy is 0 and the emissions are null: unknown, not zero.
 */
export function footprintOfInterval(facts: PowerFacts, fromMs: number, toMs: number): Footprint {
	const hourMs = bucketStartMs("hour", fromMs);
	assert(fromMs <= toMs && toMs <= hourMs + HOUR_MS, `a piece of time lies within one UTC hour, got ${fromMs}..${toMs}`);
	return added(sinceHourStart(facts, hourMs, toMs - hourMs), sinceHourStart(facts, hourMs, fromMs - hourMs), -1n);
}

/** The same for several GPUs. */
export function footprintOfGpus(facts: PowerFacts, gpus: number, { fromMs, toMs }: Interval): Footprint {
	const one = footprintOfInterval(facts, fromMs, toMs);
	return added(one, one, BigInt(gpus) - 1n);
}

/** Known facts about home GPUs, whatever their load. */
export type PoolPower = Omit<PowerFacts, "load">;

/** Applies from `fromMs` on. */
export interface PowerStep {
	fromMs: number;
	power: PoolPower;
}

/** The same when the known facts change: `base` applies before the first step. Steps are in order of time. */
export function footprintOfSteps(
	{ base, steps }: { base: PoolPower; steps: readonly PowerStep[] },
	load: PowerFacts["load"],
	gpus: number,
	{ fromMs, toMs }: Interval,
): Footprint {
	let sum: Footprint | null = null;
	for (const [i, step] of [{ fromMs: Number.NEGATIVE_INFINITY, power: base }, ...steps].entries()) {
		const part = { fromMs: Math.max(fromMs, step.fromMs), toMs: Math.min(toMs, steps[i]?.fromMs ?? toMs) };
		if (part.fromMs >= part.toMs) continue;
		const footprint = footprintOfGpus({ ...step.power, load }, gpus, part);
		sum = sum ? added(sum, footprint, 1n) : footprint;
	}
	return sum ?? footprintOfGpus({ ...base, load }, gpus, { fromMs, toMs: fromMs });
}

/** Power of one GPU at an instant, in billionths of a watt, before PUE. */
export function powerOf(facts: PowerFacts, atMs: number): { nanowatts: bigint; measured: boolean } | null {
	const minute = facts.measured?.get(Math.floor((atMs - MEASURED_LATE_MS) / MINUTE_MS) * MINUTE_MS);
	if (minute && minute.wattsPerGpu !== null)
		return { nanowatts: thousandths(minute.wattsPerGpu, "wattsPerGpu of a minute") * PERMILLE * PERMILLE, measured: true };
	if (facts.wattsPerGpu === null) return null;
	const full = thousandths(facts.wattsPerGpu, "wattsPerGpu") * PERMILLE;
	const idle =
		facts.idleWattsPerGpu === undefined
			? (full / PERMILLE) * IDLE_PERMILLE
			: thousandths(facts.idleWattsPerGpu, "idleWattsPerGpu") * PERMILLE;
	const work = facts.load === "idle" ? 0 : (minute?.utilisationPermille ?? facts.utilisationPermille ?? 1_000);
	assert(Number.isInteger(work) && work >= 0 && work <= 1_000, `utilisationPermille must be a whole number from 0 to 1000, got ${work}`);
	// Linear from idle to full power, as Cloud Carbon Footprint does with its minimum and maximum watts.
	return { nanowatts: idle * (PERMILLE - BigInt(work)) + full * BigInt(work), measured: facts.wattsAreMeasured ?? false };
}

/** Power × time of one GPU since the start of the hour, in nanowatt-milliseconds, and the measured part; null: unknown. */
function workSince(facts: PowerFacts, hourMs: number, elapsedMs: number): { all: bigint; measured: bigint } | null {
	// Without measurements the power is constant, so there is no need to iterate over the minutes.
	const stepMs = facts.measured && facts.measured.size > 0 ? MINUTE_MS : HOUR_MS;
	let all = 0n;
	let measured = 0n;
	for (let atMs = 0; atMs < elapsedMs || atMs === 0; atMs += stepMs) {
		const power = powerOf(facts, hourMs + atMs);
		if (!power) return null;
		const work = power.nanowatts * BigInt(Math.min(stepMs, elapsedMs - atMs));
		all += work;
		if (power.measured) measured += work;
	}
	return { all, measured };
}

function sinceHourStart(facts: PowerFacts, hourMs: number, elapsedMs: number): Footprint {
	const { embodiedGramsPerGpuHour = null, contractGramsPerKwh = null } = facts;
	const embodiedMilligrams =
		embodiedGramsPerGpuHour === null
			? null
			: mulDivFloor(thousandths(embodiedGramsPerGpuHour * 1_000, "embodiedGramsPerGpuHour"), BigInt(elapsedMs), MS_PER_HOUR * PERMILLE)
					.quotient;
	const work = workSince(facts, hourMs, elapsedMs);
	if (!work) return { ...NO_ENERGY, emissionsMilligrams: null, marketEmissionsMilligrams: null, embodiedMilligrams };
	// nanowatts × ms × thousandths of PUE → milliwatt-hours
	const milliWh = (nanowattMs: bigint): bigint =>
		mulDivFloor(nanowattMs, thousandths(facts.pue ?? 1, "pue"), MS_PER_HOUR * PERMILLE * PERMILLE * PERMILLE).quotient;
	const energyMilliWh = milliWh(work.all);
	const hourly = facts.hourlyMilligramsPerKwh?.get(hourMs);
	const gridMilligrams = hourly === undefined ? milligramsPerKwh(facts.gramsPerKwh, "gramsPerKwh") : BigInt(hourly);
	const contractMilligrams = milligramsPerKwh(contractGramsPerKwh, "contractGramsPerKwh");
	return {
		energyMilliWh,
		measuredEnergyMilliWh: milliWh(work.measured),
		hourlyGridMilliWh: hourly === undefined ? 0n : energyMilliWh,
		emissionsMilligrams: gramsOf(energyMilliWh, gridMilligrams),
		marketEmissionsMilligrams: gramsOf(energyMilliWh, contractMilligrams),
		embodiedMilligrams,
	};
}

const NO_ENERGY = { energyMilliWh: 0n, measuredEnergyMilliWh: 0n, hourlyGridMilliWh: 0n } as const;

function gramsOf(energyMilliWh: bigint, perKwh: bigint | null): bigint | null {
	return perKwh === null ? null : mulDivFloor(energyMilliWh, perKwh, MILLI_WH_PER_KWH).quotient;
}

function added(a: Footprint, b: Footprint, factor: bigint): Footprint {
	const known = (x: bigint | null, y: bigint | null): bigint | null => (x === null || y === null ? null : x + factor * y);
	return {
		energyMilliWh: a.energyMilliWh + factor * b.energyMilliWh,
		measuredEnergyMilliWh: a.measuredEnergyMilliWh + factor * b.measuredEnergyMilliWh,
		hourlyGridMilliWh: a.hourlyGridMilliWh + factor * b.hourlyGridMilliWh,
		emissionsMilligrams: known(a.emissionsMilligrams, b.emissionsMilligrams),
		marketEmissionsMilligrams: known(a.marketEmissionsMilligrams, b.marketEmissionsMilligrams),
		embodiedMilligrams: known(a.embodiedMilligrams, b.embodiedMilligrams),
	};
}

function milligramsPerKwh(grams: number | null, what: string): bigint | null {
	return grams === null ? null : thousandths(grams, what);
}

/** Factors are decimals with at most three places; finer ones are rounded to that. */
function thousandths(value: number, what: string): bigint {
	assert(Number.isFinite(value) && value >= 0, `${what} must be a number >= 0, got ${value}`);
	return BigInt(Math.round(value * 1_000));
}
