import { HOUR_MS } from "#server/kernel/units.ts";
import type { MeasuredRun } from "#server/simulation/replay/meter.ts";

/** Counts launches refused at an offer that had refused the same job within the hour, per hour. */
export class RepeatedAsks {
	readonly #refused = new Map<string, { offerId: string; atMs: number; repeated: boolean }[]>();
	/** The maximum over all jobs and hours. */
	most = 0;

	add({ run, why, endMs }: Pick<MeasuredRun, "run" | "why" | "endMs">): void {
		if (why !== "refused" || run.throttled || !run.offer) return;
		const offerId = run.offer.id;
		const recent = (this.#refused.get(run.job.id) ?? []).filter(({ atMs }) => endMs - atMs < HOUR_MS);
		recent.push({ offerId, atMs: endMs, repeated: recent.some((past) => past.offerId === offerId) });
		this.#refused.set(run.job.id, recent);
		this.most = Math.max(this.most, recent.filter(({ repeated }) => repeated).length);
	}
}
