import { namePatternOf } from "#server/scheduling/run-time.ts";
import type { DurationStat } from "#server/scheduling/types.ts";
import type { JobRecord } from "./records.ts";

/** Newest runs that a statistic is made of, and how many it needs (services/job/durations). */
const KEPT = 500;
const SAMPLES_MIN = 3;

/** What past runs took, by team and name pattern, and by team. */
export class DurationBook {
	readonly #samples = new Map<string, { team: string; namePattern: string; runs: number[]; sorted: number[] }>();
	readonly #dirty = new Set<string>();
	readonly #stats = new Map<string, DurationStat>();
	#list: DurationStat[] = [];

	add(row: JobRecord): void {
		if (row.startedAtMs === null || row.finishedAtMs === null) return;
		const ms = row.finishedAtMs - row.startedAtMs;
		for (const namePattern of [namePatternOf(row.spec.name), "*"]) {
			const key = `${row.spec.team}\n${namePattern}`;
			const known = this.#samples.get(key) ?? { team: row.spec.team, namePattern, runs: [], sorted: [] };
			this.#samples.set(key, known);
			known.runs.push(ms);
			known.sorted.splice(placeOf(known.sorted, ms), 0, ms);
			const oldest = known.runs.length > KEPT ? known.runs.shift() : undefined;
			if (oldest !== undefined) known.sorted.splice(placeOf(known.sorted, oldest), 1);
			this.#dirty.add(key);
		}
	}

	/** As they are now. */
	read(): DurationStat[] {
		if (this.#dirty.size === 0) return this.#list;
		for (const key of this.#dirty) {
			const entry = this.#samples.get(key);
			if (!entry || entry.runs.length < SAMPLES_MIN) continue;
			const { team, namePattern, sorted } = entry;
			this.#stats.set(key, { team, namePattern, samples: sorted.length, p50Ms: quantile(sorted, 0.5), p90Ms: quantile(sorted, 0.9) });
		}
		this.#dirty.clear();
		this.#list = [...this.#stats.values()];
		return this.#list;
	}
}

/** Where a value stands, or would stand, in an ascending list. */
function placeOf(sorted: readonly number[], value: number): number {
	let low = 0;
	for (let high = sorted.length; low < high; ) {
		const middle = (low + high) >> 1;
		if ((sorted[middle] ?? value) < value) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Linear between the two nearest samples, as PostgreSQL's percentile_cont. */
function quantile(sorted: readonly number[], share: number): number {
	const at = share * (sorted.length - 1);
	const below = sorted[Math.floor(at)] ?? 0;
	const above = sorted[Math.ceil(at)] ?? below;
	return Math.round(below + (above - below) * (at - Math.floor(at)));
}
