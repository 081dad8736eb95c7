import type { DurationStat } from "../types.ts";
import { type HistoryKey, historyKeysOf, keyText, type RunTraits } from "./history-keys.ts";
import { placeOf, pointsOf, quantileOf } from "./quantiles.ts";

/** Newest runs that a statistic is made of: old habits are forgotten. */
const KEPT = 1_000;
/** Fewer runs than this are told to nobody. */
const SAMPLES_MIN = 3;

/** One run that came to its end by itself. */
export interface FinishedRun {
	spec: RunTraits;
	durationMs: number;
}

interface Group {
	key: HistoryKey;
	runs: Window;
	ratios: Window;
	stat: DurationStat | null;
}

/**
 * What past runs took, by name pattern, team and GPUs (history-keys.ts); the newest KEPT of each. Every run-time statistic
 * of the project, live or replayed, comes from here. Cost: a few microseconds a run, and a summary per group that changed.
 */
export class DurationBook {
	readonly #groups = new Map<string, Group>();
	/** A spec never changes, and a replay's jobs share theirs. */
	readonly #groupsBySpec = new WeakMap<RunTraits, readonly Group[]>();
	readonly #dirty = new Set<Group>();
	#list: DurationStat[] = [];

	add(run: FinishedRun): void {
		const { estimateMs } = run.spec.duration;
		for (const group of this.#groupsOf(run.spec)) {
			group.runs.add(run.durationMs);
			if (estimateMs !== null && estimateMs > 0) group.ratios.add(run.durationMs / estimateMs);
			this.#dirty.add(group);
		}
	}

	/** As they are now; the same list as before when no run was added, so that it can be a key of what is computed from it. */
	read(): DurationStat[] {
		let changed = false;
		for (const group of this.#dirty) {
			if (group.runs.sorted.length < SAMPLES_MIN) continue;
			group.stat = statOf(group);
			changed = true;
		}
		this.#dirty.clear();
		if (changed) this.#list = [...this.#groups.values()].flatMap((group) => group.stat ?? []);
		return this.#list;
	}

	#groupsOf(spec: RunTraits): readonly Group[] {
		const known = this.#groupsBySpec.get(spec);
		if (known) return known;
		const groups = historyKeysOf(spec).map((key) => this.#groupOf(key));
		this.#groupsBySpec.set(spec, groups);
		return groups;
	}

	#groupOf(key: HistoryKey): Group {
		const text = keyText(key);
		const known = this.#groups.get(text);
		if (known) return known;
		const group: Group = { key, runs: new Window(), ratios: new Window(), stat: null };
		this.#groups.set(text, group);
		return group;
	}
}

function statOf({ key, runs, ratios }: Group): DurationStat {
	const { sorted } = runs;
	return {
		team: key.team,
		namePattern: key.namePattern,
		samples: sorted.length,
		p50Ms: Math.round(quantileOf(sorted, 0.5)),
		p90Ms: Math.round(quantileOf(sorted, 0.9)),
		...(key.gpus === null ? {} : { gpus: key.gpus }),
		points: pointsOf(sorted),
		...(ratios.sorted.length < SAMPLES_MIN ? {} : { estimateRatio: { samples: ratios.sorted.length, points: pointsOf(ratios.sorted) } }),
	};
}

/** The newest values, in order of size. */
class Window {
	readonly sorted: number[] = [];
	/** In order of arrival, a ring. */
	readonly #ring: number[] = [];
	#next = 0;

	add(value: number): void {
		const oldest = this.#ring.length < KEPT ? undefined : this.#ring[this.#next];
		this.#ring[this.#next] = value;
		this.#next = (this.#next + 1) % KEPT;
		if (oldest !== undefined) this.sorted.splice(placeOf(this.sorted, oldest), 1);
		this.sorted.splice(placeOf(this.sorted, value), 0, value);
	}
}
