import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** A charge of $1 an hour and 60 g of CO2e an hour, to the micro-dollar and milligram. */
export function aCharge(cause: { jobId: string; attemptId: string; instanceId: string }, fromMs: number, toMs: number): ChargeDraft {
	const ms = BigInt(toMs - fromMs);
	const microUsd = (ms * 1_000_000n) / BigInt(HOUR_MS);
	return {
		...{ periodStartMs: fromMs, periodEndMs: toMs, ...cause, allocationId: null, poolId: null, billLineId: null, correction: null },
		dimensions: {
			...{ team: "risk", project: "fraud", class: "burst", siteId: "aws", provider: "aws", region: "us-east-1" },
			...{ capacityType: "spot", accelerator: "A10G-24GB", kind: "compute" },
		},
		...{ gpuMs: ms, listMicroUsd: 2n * microUsd, contractedMicroUsd: microUsd, effectiveMicroUsd: microUsd, billedMicroUsd: microUsd },
		...{ energyMilliWh: ms, measuredEnergyMilliWh: ms / 2n, hourlyGridMilliWh: 0n },
		...{ emissionsMilligrams: ms / 60n, marketEmissionsMilligrams: null, embodiedMilligrams: null },
	};
}
