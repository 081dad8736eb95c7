import type { CapacityType } from "#server/domain/vocabulary.ts";
import { assert } from "#server/kernel/assert.ts";
import { DAY_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { GroupWaits, ReplayDay, ReplaySeries } from "./types.ts";

const TYPES = ["owned", "reserved", "on_demand", "spot"] as const satisfies readonly CapacityType[];

/** The groups that a job's wait counts towards. */
export interface Grouped {
	team: string;
	workloadClass: string;
}

/** A stretch of use: GPUs between two moments. */
export interface Stretch {
	fromMs: number;
	toMs: number;
	gpus: number;
}

/**
 * Collects usage by UTC day, team and class during a replay, for charts. Every call costs a few additions, plus one for each further day
 * that a stretch covers.
 */
export class SeriesRecorder {
	readonly #day0: number;
	readonly #demand = new DayColumn();
	readonly #use = new Map<CapacityType, DayColumn>(TYPES.map((type) => [type, new DayColumn()]));
	readonly #costMicroUsd = new Map<CapacityType, DayColumn>(TYPES.map((type) => [type, new DayColumn()]));
	readonly #teams = new Map<string, Waits>();
	readonly #classes = new Map<string, Waits>();

	/** @param startMs start of the replay, UTC ms; nothing may be recorded before its day. */
	constructor(startMs: number) {
		this.#day0 = Math.floor(startMs / DAY_MS);
	}

	/** Records a job's demand: its use if it started immediately and ran for its recorded time. */
	demand(stretch: Stretch): void {
		this.#demand.spread(this.#day0, stretch.fromMs, stretch.toMs, stretch.gpus);
	}

	/** Records GPUs held at home or rented, from placement to end. */
	use(type: CapacityType, stretch: Stretch): void {
		column(this.#use, type).spread(this.#day0, stretch.fromMs, stretch.toMs, stretch.gpus);
	}

	/** Records the cost of a rented machine and its egress, spread evenly over its time. */
	cost(type: CapacityType, at: { fromMs: number; toMs: number; microUsd: bigint }): void {
		const lengthMs = at.toMs - at.fromMs;
		if (lengthMs > 0) column(this.#costMicroUsd, type).spread(this.#day0, at.fromMs, at.toMs, Number(at.microUsd) / lengthMs);
		else column(this.#costMicroUsd, type).add(this.#day0, at.fromMs, Number(at.microUsd));
	}

	/** A job was submitted. */
	submitted(job: Grouped): void {
		for (const waits of this.#groupsOf(job)) waits.jobs++;
	}

	/** Records a finished job: time to the first start and to the last end of its command, both since submission. */
	done(job: Grouped, times: { waitMs: number; timeToModelMs: number }): void {
		for (const waits of this.#groupsOf(job)) {
			waits.waitsMs.push(times.waitMs);
			waits.timeToModelMs += times.timeToModelMs;
		}
	}

	finish(): ReplaySeries {
		const columns = [this.#demand, ...this.#use.values(), ...this.#costMicroUsd.values()];
		const length = Math.max(...columns.map((c) => c.length));
		const days = Array.from({ length }, (_, i) => this.#dayAt(i));
		return { days, teams: groups(this.#teams), classes: groups(this.#classes) };
	}

	#groupsOf(job: Grouped): Waits[] {
		return [waitsOf(this.#teams, job.team), waitsOf(this.#classes, job.workloadClass)];
	}

	#dayAt(i: number): ReplayDay {
		const gpusOf = (c: DayColumn): number => round3(c.at(i) / DAY_MS);
		const cloud = TYPES.filter((type) => type !== "owned");
		const types = <T>(value: (type: CapacityType) => T): Record<string, T> => Object.fromEntries(cloud.map((type) => [type, value(type)]));
		return {
			date: new Date((this.#day0 + i) * DAY_MS).toISOString().slice(0, 10),
			demandGpus: gpusOf(this.#demand),
			ownedGpus: gpusOf(column(this.#use, "owned")),
			cloudGpusByCapacityType: types((type) => gpusOf(column(this.#use, type))),
			cloudCostUsdByCapacityType: types((type) => round3(column(this.#costMicroUsd, type).at(i) / 1e6)),
		};
	}
}

/** A total for each day, grown as needed. */
class DayColumn {
	#sums = new Float64Array(128);
	length = 0;

	at(i: number): number {
		return this.#sums[i] ?? 0;
	}

	add(day0: number, atMs: number, amount: number): void {
		this.#put(Math.floor(atMs / DAY_MS) - day0, amount);
	}

	/** Adds `rate` × ms to every day that the stretch touches. */
	spread(day0: number, fromMs: number, toMs: number, rate: number): void {
		for (let at = fromMs; at < toMs; ) {
			const day = Math.floor(at / DAY_MS);
			const end = Math.min(toMs, (day + 1) * DAY_MS);
			this.#put(day - day0, (end - at) * rate);
			at = end;
		}
	}

	#put(i: number, amount: number): void {
		assert(i >= 0, "nothing is recorded before the replay begins");
		if (i >= this.#sums.length) {
			const grown = new Float64Array(Math.max(i + 1, this.#sums.length * 2));
			grown.set(this.#sums);
			this.#sums = grown;
		}
		this.#sums[i] = this.at(i) + amount;
		if (i >= this.length) this.length = i + 1;
	}
}

interface Waits {
	jobs: number;
	waitsMs: number[];
	timeToModelMs: number;
}

function column(columns: ReadonlyMap<CapacityType, DayColumn>, type: CapacityType): DayColumn {
	const found = columns.get(type);
	assert(found, `there is no series of ${type}`);
	return found;
}

function waitsOf(groups: Map<string, Waits>, name: string): Waits {
	const known = groups.get(name);
	if (known) return known;
	const made: Waits = { jobs: 0, waitsMs: [], timeToModelMs: 0 };
	groups.set(name, made);
	return made;
}

function groups(waits: ReadonlyMap<string, Waits>): GroupWaits[] {
	const byName = [...waits].sort(([a], [b]) => (a < b ? -1 : 1));
	return byName.map(([name, { jobs, waitsMs, timeToModelMs }]) => {
		const sorted = Float64Array.from(waitsMs).sort();
		const sum = sorted.reduce((total, ms) => total + ms, 0);
		return {
			name,
			jobs,
			jobsDone: sorted.length,
			meanWaitS: round3(sorted.length > 0 ? sum / sorted.length / SECOND_MS : 0),
			p50WaitS: round3(quantile(sorted, 0.5) / SECOND_MS),
			p95WaitS: round3(quantile(sorted, 0.95) / SECOND_MS),
			meanTimeToModelS: round3(sorted.length > 0 ? timeToModelMs / sorted.length / SECOND_MS : 0),
		};
	});
}

/** Returns the smallest value that at least a share `q` of the values does not exceed (nearest rank); 0 if there are none. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
	return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0;
}

export function round3(value: number): number {
	return Math.round(value * 1000) / 1000;
}
