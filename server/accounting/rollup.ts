import type { ChargeDimensions } from "#server/domain/charge.ts";
import { assert } from "#server/kernel/assert.ts";
import { type Amounts, addScaled, type ChargeDraft, difference, NO_AMOUNTS, shareOf } from "./amounts.ts";
import { budgetCost } from "./budget-cost.ts";
import { bucketStartMs, GRANULARITIES, type Granularity, splitAtHours } from "./calendar.ts";
import { type Calendar, UTC } from "./zone.ts";

/** The increase of one row of the table `rollup` from some charges. */
export interface RollupDelta extends Amounts {
	granularity: Granularity;
	bucketStartMs: number;
	dimensions: ChargeDimensions;
	/** Sums of known emissions. */
	emissionsMilligrams: bigint;
	marketEmissionsMilligrams: bigint;
	embodiedMilligrams: bigint;
	/** GPU time of the charges with unknown emissions. */
	emissionsUnknownGpuMs: bigint;
	marketUnknownGpuMs: bigint;
	embodiedUnknownGpuMs: bigint;
	charges: number;
}

/** Columns of every kind of rollup. */
export type RollupSums = Omit<RollupDelta, "granularity" | "bucketStartMs" | "dimensions">;

export const NO_SUMS: RollupSums = {
	...NO_AMOUNTS,
	...{ emissionsMilligrams: 0n, marketEmissionsMilligrams: 0n, embodiedMilligrams: 0n },
	...{ emissionsUnknownGpuMs: 0n, marketUnknownGpuMs: 0n, embodiedUnknownGpuMs: 0n, charges: 0 },
};

/** One charge as sums. */
export function knownOf(charge: ChargeDraft): RollupSums {
	return {
		gpuMs: charge.gpuMs,
		listMicroUsd: charge.listMicroUsd,
		contractedMicroUsd: charge.contractedMicroUsd,
		effectiveMicroUsd: charge.effectiveMicroUsd,
		billedMicroUsd: charge.billedMicroUsd,
		energyMilliWh: charge.energyMilliWh,
		measuredEnergyMilliWh: charge.measuredEnergyMilliWh,
		hourlyGridMilliWh: charge.hourlyGridMilliWh,
		emissionsMilligrams: charge.emissionsMilligrams ?? 0n,
		marketEmissionsMilligrams: charge.marketEmissionsMilligrams ?? 0n,
		embodiedMilligrams: charge.embodiedMilligrams ?? 0n,
		emissionsUnknownGpuMs: charge.emissionsMilligrams === null ? charge.gpuMs : 0n,
		marketUnknownGpuMs: charge.marketEmissionsMilligrams === null ? charge.gpuMs : 0n,
		embodiedUnknownGpuMs: charge.embodiedMilligrams === null ? charge.gpuMs : 0n,
		charges: 1,
	};
}

export function addSums(a: RollupSums, b: RollupSums): RollupSums {
	const sums = addScaled(a, b, 1n);
	return {
		...sums,
		emissionsMilligrams: a.emissionsMilligrams + b.emissionsMilligrams,
		marketEmissionsMilligrams: a.marketEmissionsMilligrams + b.marketEmissionsMilligrams,
		embodiedMilligrams: a.embodiedMilligrams + b.embodiedMilligrams,
		emissionsUnknownGpuMs: a.emissionsUnknownGpuMs + b.emissionsUnknownGpuMs,
		marketUnknownGpuMs: a.marketUnknownGpuMs + b.marketUnknownGpuMs,
		embodiedUnknownGpuMs: a.embodiedUnknownGpuMs + b.embodiedUnknownGpuMs,
		charges: a.charges + b.charges,
	};
}

/**
 * Splits a charge into pieces that each belong to one hour and one day of the calendar; most already do. The parts of
 * an amount are its shares by time, and the last one takes the rounding remainder, so that they add up to the charge.
 */
export function splitCharge(charge: ChargeDraft, calendar: Calendar = UTC): ChargeDraft[] {
	const pieces = splitAtHours({ fromMs: charge.periodStartMs, toMs: charge.periodEndMs }, calendar);
	if (pieces.length === 1) return [charge];
	assert(charge.periodEndMs > charge.periodStartMs, "a charge is of some time");
	const whole = BigInt(charge.periodEndMs - charge.periodStartMs);
	const until = (ms: number) => shareOf(charge, BigInt(ms - charge.periodStartMs), whole);
	return pieces.map((piece) => ({
		...charge,
		...difference(until(piece.toMs), until(piece.fromMs)),
		periodStartMs: piece.fromMs,
		periodEndMs: piece.toMs,
	}));
}

/**
 * The increases in all three granularities, one per key, in the order of the table's key: writers that lock rows in
 * the same order never deadlock.
 */
export function rollupDeltas(charges: readonly ChargeDraft[], calendar: Calendar = UTC): RollupDelta[] {
	const byKey = new Map<string, RollupDelta>();
	for (const charge of charges) {
		const known = knownOf(charge);
		for (const granularity of GRANULARITIES) {
			const bucket = bucketStartMs(granularity, charge.periodStartMs, calendar);
			const key = keyOf(granularity, bucket, charge.dimensions);
			const row = byKey.get(key) ?? { granularity, bucketStartMs: bucket, dimensions: charge.dimensions, ...NO_SUMS };
			byKey.set(key, { ...row, ...addSums(row, known) });
		}
	}
	return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function keyOf(granularity: Granularity, bucket: number, d: ChargeDimensions): string {
	return JSON.stringify([
		...[granularity, bucket, d.team, d.project, d.class],
		...[d.siteId, d.provider, d.region, d.capacityType, d.accelerator, d.kind],
	]);
}

/** The increase of one row of the table `job_month` from some charges. */
export interface JobMonthDelta extends RollupSums {
	monthStartMs: number;
	jobId: string;
	team: string;
	/** Cost of cloud machines counted in budgets (budget-cost.ts). */
	cloudMicroUsd: bigint;
}

/** The increases of each job's months; charges without a job have none. In the order of the table's key. */
export function jobMonthDeltas(charges: readonly ChargeDraft[], calendar: Calendar = UTC): JobMonthDelta[] {
	const byKey = new Map<string, JobMonthDelta>();
	for (const charge of charges) {
		if (charge.jobId === null) continue;
		const monthStartMs = bucketStartMs("month", charge.periodStartMs, calendar);
		const key = `${monthStartMs}/${charge.jobId}`;
		const row = byKey.get(key) ?? { monthStartMs, jobId: charge.jobId, team: charge.dimensions.team, cloudMicroUsd: 0n, ...NO_SUMS };
		const ofCloud = (charge.instanceId ?? charge.artifactId ?? null) !== null && charge.dimensions.capacityType !== "owned";
		const cloudMicroUsd = row.cloudMicroUsd + (ofCloud ? budgetCost(charge) : 0n);
		byKey.set(key, { ...row, cloudMicroUsd, ...addSums(row, knownOf(charge)) });
	}
	return [...byKey.values()].sort((a, b) => a.monthStartMs - b.monthStartMs || (a.jobId < b.jobId ? -1 : 1));
}
