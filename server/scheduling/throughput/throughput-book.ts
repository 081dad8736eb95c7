import { gpuBucketOf, namePatternOf } from "../forecast/history-keys.ts";
import type { SpeedTraits } from "./estimate-speeds.ts";
import type { ThroughputStat } from "./types.ts";

/** Work done in one attempt. */
export interface MeasuredWork {
	job: SpeedTraits;
	accelerator: string;
	kind: ThroughputStat["kind"];
	unit?: string;
	/** Units of work per hour (`rate`), or runs per hour (`duration`). */
	ratePerHour: number;
}

interface Sums {
	stat: Omit<ThroughputStat, "runs" | "meanLogRate" | "variance">;
	user: string | undefined;
	runs: number;
	mean: number;
	/** Sum of squared distances from the mean (Welford 1962). */
	squares: number;
}

/** Speeds that jobs reached, by family and accelerator. Shared by the product and replays. */
export class ThroughputBook {
	readonly #sums = new Map<string, Sums>();
	#list: ThroughputStat[] | null = [];

	add({ job, accelerator, kind, unit, ratePerHour }: MeasuredWork): void {
		const logRate = Math.log(ratePerHour);
		if (!Number.isFinite(logRate)) return;
		const family = { team: job.team, namePattern: namePatternOf(job.name), gpus: gpuBucketOf(job) };
		const stat = { ...family, accelerator, kind, ...(unit !== undefined && { unit }) };
		const key = `${stat.team}\n${stat.namePattern}\n${stat.gpus}\n${accelerator}\n${kind}\n${unit ?? ""}`;
		const sums = this.#sums.get(key) ?? { stat, user: job.user, runs: 0, mean: 0, squares: 0 };
		if (sums.user !== job.user) sums.user = undefined;
		sums.runs++;
		const distance = logRate - sums.mean;
		sums.mean += distance / sums.runs;
		sums.squares += distance * (logRate - sums.mean);
		this.#sums.set(key, sums);
		this.#list = null;
	}

	/** The current list; the same object until something is added. */
	read(): readonly ThroughputStat[] {
		this.#list ??= [...this.#sums.values()].map(({ stat, user, runs, mean, squares }) => ({
			...stat,
			...(user !== undefined && { user }),
			runs,
			meanLogRate: mean,
			variance: runs > 1 ? squares / (runs - 1) : 0,
		}));
		return this.#list;
	}
}
