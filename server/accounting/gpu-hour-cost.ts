import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Cost per GPU-hour of a pool over some time. Null without any hours. */
export interface GpuHourCost {
	/** Total cost of the pool divided by the owned GPU-hours. */
	ownedMicroUsdPerGpuHour: bigint | null;
	/** Total cost of the pool, idle time included, divided by the GPU-hours that jobs used: the real cost of a used GPU-hour. */
	usedMicroUsdPerGpuHour: bigint | null;
	/** Used over owned GPU time, 0 to 1; for charts. */
	utilisation: number | null;
}

/** $ per GPU-hour, used and owned, from sums of charges; rounded down to the micro-dollar. */
export function gpuHourCost(sums: { usedMicroUsd: bigint; idleMicroUsd: bigint; usedGpuMs: bigint; idleGpuMs: bigint }): GpuHourCost {
	const total = sums.usedMicroUsd + sums.idleMicroUsd;
	const ownedMs = sums.usedGpuMs + sums.idleGpuMs;
	const per = (gpuMs: bigint): bigint | null => (gpuMs > 0n && total >= 0n ? mulDivFloor(total, BigInt(HOUR_MS), gpuMs).quotient : null);
	return {
		ownedMicroUsdPerGpuHour: per(ownedMs),
		usedMicroUsdPerGpuHour: per(sums.usedGpuMs),
		utilisation: ownedMs > 0n ? Number((sums.usedGpuMs * 1_000_000n) / ownedMs) / 1e6 : null,
	};
}
