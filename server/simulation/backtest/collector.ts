import type { Reason } from "#server/domain/reasons.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { Action } from "#server/scheduling/types.ts";
import type { MeasuredRun } from "../replay/meter.ts";
import type { Run } from "../replay/run.ts";

/** Outcome of one job in a replay. Times are UTC ms. */
export interface JobCourse {
	/** Placement of the last attempt that came up; null if none did. */
	place: string | null;
	accelerator: string | null;
	/** Reason for the placement. */
	reason: Reason | null;
	costMicroUsd: bigint;
	/** null: unknown for some attempt. */
	emissionsGrams: number | null;
}

export interface DaySums {
	costMicroUsd: number;
	grams: number | null;
}

/** Accumulates the results of a replay under a policy, attempt by attempt. */
export class Collector {
	readonly courses = new Map<string, JobCourse>();
	readonly days = new Map<number, DaySums>();
	cloudCostMicroUsd = 0n;
	egressGiB = 0;
	grams: number | null = 0;
	homeGpuMs = 0;
	cloudGpuMs = 0;
	readonly #severalPools: boolean;
	readonly #placing = new Map<string, Reason>();

	constructor(severalPools: boolean) {
		this.#severalPools = severalPools;
	}

	acted(action: Action): void {
		if (action.kind === "place_home" || action.kind === "launch" || action.kind === "fail") this.#placing.set(action.jobId, action.reason);
	}

	/** Reason for the last placement or for the failure. */
	reasonOf(jobId: string): Reason | null {
		return this.#placing.get(jobId) ?? null;
	}

	measured({ run, why, endMs, costMicroUsd, emissionsGrams, egressGiB }: MeasuredRun): void {
		if (why === "refused") return;
		const { job } = run;
		const before = this.courses.get(job.id);
		this.courses.set(job.id, {
			place: this.#placeOf(run),
			accelerator: run.offer?.accelerator ?? run.home?.nodes.pool.accelerator ?? null,
			reason: this.reasonOf(job.id),
			costMicroUsd: (before?.costMicroUsd ?? 0n) + costMicroUsd,
			emissionsGrams: plus(before ? before.emissionsGrams : 0, emissionsGrams),
		});
		this.cloudCostMicroUsd += costMicroUsd;
		this.egressGiB += egressGiB;
		this.grams = plus(this.grams, emissionsGrams);
		const heldMs = endMs - run.placedAtMs;
		if (run.offer) this.cloudGpuMs += heldMs * run.offer.gpus * run.instances;
		else this.homeGpuMs += heldMs * job.gpus;
		this.#spread(run.placedAtMs, endMs, Number(costMicroUsd), emissionsGrams);
	}

	#placeOf({ offer, home }: Run): string {
		if (offer) return `${offer.provider} ${offer.region} ${offer.instanceType} ${offer.capacityType.replace("_", "-")}`;
		return this.#severalPools ? `at home in ${home?.nodes.pool.id}` : "at home";
	}

	#spread(fromMs: number, toMs: number, microUsd: number, grams: number | null): void {
		const lengthMs = Math.max(1, toMs - fromMs);
		for (let at = fromMs; ; ) {
			const day = Math.floor(at / DAY_MS);
			const untilMs = Math.min(toMs, (day + 1) * DAY_MS);
			const share = toMs <= fromMs ? 1 : (untilMs - at) / lengthMs;
			const sums = this.days.get(day) ?? { costMicroUsd: 0, grams: 0 };
			this.days.set(day, {
				costMicroUsd: sums.costMicroUsd + microUsd * share,
				grams: plus(sums.grams, grams === null ? null : grams * share),
			});
			at = untilMs;
			if (at >= toMs) return;
		}
	}
}

function plus(a: number | null, b: number | null): number | null {
	return a === null || b === null ? null : a + b;
}
