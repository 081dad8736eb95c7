import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/**
 * Software Carbon Intensity, ISO/IEC 21031:2024: SCI = (E × I + M) per R. E × I is the charged operational emissions,
 * location-based (the standard excludes contracts and offsets); M is the embodied emissions; R is one GPU-hour, and
 * also the job.
 */
export interface CarbonIntensity {
	/** (O + M) / GPU-hours, mg CO2e, rounded down; null when a part is unknown or no GPU-hour was used. */
	milligramsPerGpuHour: bigint | null;
	/** O + M, mg CO2e: R is one job. */
	milligramsPerJob: bigint | null;
}

export function softwareCarbonIntensity(sums: {
	emissionsMilligrams: bigint | null;
	embodiedMilligrams: bigint | null;
	gpuMs: bigint;
}): CarbonIntensity {
	const { emissionsMilligrams: operational, embodiedMilligrams: embodied, gpuMs } = sums;
	if (operational === null || embodied === null) return { milligramsPerGpuHour: null, milligramsPerJob: null };
	const whole = operational + embodied;
	return { milligramsPerGpuHour: gpuMs > 0n ? perGpuHour(whole, gpuMs) : null, milligramsPerJob: whole };
}

/** An amount divided by GPU time, per GPU-hour. */
export function perGpuHour(amount: bigint, gpuMs: bigint): bigint {
	return mulDivFloor(amount, BigInt(HOUR_MS), gpuMs).quotient;
}
