import { billingTermsOf } from "../billing-terms.ts";
import type { PowerFacts } from "../carbon.ts";
import type { OwnedPool, OwnedUse } from "../meter-pool.ts";
import type { Usage } from "../meter-usage.ts";
import { UTC } from "../zone.ts";

/** 2026-11-10T10:00:00Z, a whole hour. */
export const T0 = Date.UTC(2026, 10, 10, 10);

export const A10G_IN_VIRGINIA: PowerFacts = { wattsPerGpu: 150, pue: 1.15, gramsPerKwh: 380.5, load: "busy" };

/** A g5.xlarge on spot at $0.4042/h, on-demand $1.006/h, started at T0 and still running. */
export function aUsage(changes: Partial<Usage> = {}): Usage {
	return {
		startMs: T0,
		endMs: null,
		prices: [{ fromMs: T0, microUsdPerHour: 404_200n, listMicroUsdPerHour: 1_006_000n }],
		terms: billingTermsOf("aws"),
		gpus: 1,
		power: A10G_IN_VIRGINIA,
		dimensions: {
			team: "risk",
			project: "fraud",
			class: "burst",
			siteId: "aws",
			provider: "aws",
			region: "us-east-1",
			capacityType: "spot",
			accelerator: "A10G-24GB",
		},
		cause: { jobId: "job_1", attemptId: "att_1", instanceId: "ins_1", allocationId: null, poolId: null },
		...changes,
	};
}

/** Four GPUs at $0.777777 an hour, owned since T0, nothing metered yet. */
export function aPool(changes: Partial<OwnedPool> = {}): OwnedPool {
	return {
		poolId: "gpu",
		gpus: 4,
		microUsdPerGpuHour: 777_777n,
		cards: [],
		calendar: UTC,
		ownedSinceMs: T0,
		idleMeteredUntilMs: null,
		power: { wattsPerGpu: 150, pue: 1.58, gramsPerKwh: 350 },
		place: { siteId: "local", provider: "local", region: "", accelerator: "A10G-24GB" },
		...changes,
	};
}

export function aUse(changes: Partial<OwnedUse> = {}): OwnedUse {
	return {
		allocationId: "alc_1",
		jobId: "job_1",
		attemptId: "att_1",
		slots: [0],
		microUsdPerGpuHour: 777_777n,
		startMs: T0,
		endMs: null,
		meteredUntilMs: null,
		work: { team: "risk", project: "fraud", class: "burst" },
		...changes,
	};
}

export function sumOf<T>(rows: readonly T[], value: (row: T) => bigint | null): bigint {
	return rows.reduce((sum, row) => sum + (value(row) ?? 0n), 0n);
}
