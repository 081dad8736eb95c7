import type { DurationStat } from "../types.ts";
import { ANY, type HistoryKey, historyKeysOf, keyText, namePatternOf, type RunTraits } from "./history-keys.ts";
import { placeOf, pointsOf, quantileOf } from "./quantiles.ts";

/** Newest runs in a statistic, so that old behavior is forgotten. */
const KEPT = 1_000;
const KEPT_AT_FIRST = 8;
/** Statistics from fewer runs than this are not used. */
const SAMPLES_MIN = 3;

/** Most job kinds counted in a group; more make no difference. */
const KINDS_MAX = 100;

/** One run that ended on its own. */
export interface FinishedRun {
	spec: RunTraits;
	durationMs: number;
}

interface Group {
	key: HistoryKey;
	runs: Window;
	ratios: Window;
	/** Name patterns of the group. */
	kinds: Set<string>;
	stat: DurationStat | null;
}

/**
 * Run times of past jobs, by name pattern, team, user and GPUs (history-keys.ts); the newest KEPT of each. The source of every run-time
 * statistic, live or replayed. Cost: a few microseconds per run, and a summary per changed group.
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
			if (group.kinds.size < KINDS_MAX) group.kinds.add(namePatternOf(run.spec.name));
			if (estimateMs !== null && estimateMs > 0) group.ratios.add(run.durationMs / estimateMs);
			this.#dirty.add(group);
		}
	}

	/** The current statistics; the same list object when no run was added, so that it can be a cache key. */
	read(): DurationStat[] {
		let changed = false;
		for (const group of this.#dirty) {
			if (group.runs.size < SAMPLES_MIN) continue;
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
		const group: Group = { key, runs: new Window(), ratios: new Window(), kinds: new Set(), stat: null };
		this.#groups.set(text, group);
		return group;
	}
}

function statOf({ key, runs, ratios, kinds }: Group): DurationStat {
	const sorted = runs.sorted();
	return {
		team: key.team,
		namePattern: key.namePattern,
		samples: sorted.length,
		p50Ms: Math.round(quantileOf(sorted, 0.5)),
		p90Ms: Math.round(quantileOf(sorted, 0.9)),
		...(key.gpus === null ? {} : { gpus: key.gpus }),
		...(key.user === null ? {} : { user: key.user }),
		...(key.namePattern === ANY && { kinds: kinds.size }),
		points: pointsOf(sorted),
		...(ratios.size < SAMPLES_MIN ? {} : { estimateRatio: { samples: ratios.size, points: pointsOf(ratios.sorted()) } }),
	};
}

/** The newest values, by size and by arrival. Plain numbers in growing blocks, because most groups of runs are small. */
class Window {
	size = 0;
	#sorted = new Float64Array(KEPT_AT_FIRST);
	/** A ring buffer once it has KEPT entries. */
	#arrived = new Float64Array(KEPT_AT_FIRST);
	#next = 0;

	/** Ascending; valid until the next value is added. */
	sorted(): Float64Array {
		return this.#sorted.subarray(0, this.size);
	}

	add(value: number): void {
		if (this.size === this.#sorted.length && this.size < KEPT) {
			this.#sorted = grown(this.#sorted);
			this.#arrived = grown(this.#arrived);
		}
		const sorted = this.#sorted;
		const at = placeOf(sorted, value, this.size);
		if (this.size < KEPT) {
			// Entries past the last one are ignored.
			sorted.copyWithin(at + 1, at, this.size);
			sorted[at] = value;
			this.size++;
		} else {
			// Removes the oldest; moves only the entries between the two.
			const gone = placeOf(sorted, this.#arrived[this.#next] ?? value);
			if (gone < at) sorted.copyWithin(gone, gone + 1, at);
			else sorted.copyWithin(at + 1, at, gone);
			sorted[gone < at ? at - 1 : at] = value;
		}
		this.#arrived[this.#next] = value;
		this.#next = (this.#next + 1) % KEPT;
	}
}

function grown(values: Float64Array): Float64Array<ArrayBuffer> {
	const more = new Float64Array(Math.min(KEPT, values.length * 2));
	more.set(values);
	return more;
}
