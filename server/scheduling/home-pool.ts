import type { TimeRange } from "#server/domain/decision.ts";
import type { Place } from "#server/policy/types.ts";
import { EndTable } from "./end-table.ts";
import type { Machine } from "./removal.ts";
import { PoolReplay } from "./replay.ts";
import { endOfStop, unknownEndTime } from "./run-time.ts";
import type { PoolView, RunningAttempt } from "./types.ts";

/** A holder of slots in a pool. */
export interface Holder {
	readonly slots: readonly number[];
	/** Set for our own attempts on these slots; null for others, and for a reserved place. */
	readonly attempt: RunningAttempt | null;
	/** When it releases them. The times stay fixed until the first of them passes. */
	end(nowMs: number): TimeRange;
	/** Cached by evict.ts: until then its attempt has much unsaved work. */
	losesMuchUntilMs: number;
	/** Cached by evict.ts: until then its attempt has little unsaved work. */
	losesLittleUntilMs: number;
}

/**
 * A pool in the replay: slots free now, and both forecasts of when the others become free. Kept while the pool's own data stays the same;
 * between cycles only changes are processed.
 */
export class HomePool {
	view: PoolView;
	readonly machine: Machine;
	readonly place: Place;
	/** Divisor for run times in this pool. */
	readonly speed: number;
	readonly slots: number;
	/** Two replays: one in which everything takes its median time, and one with its P90. */
	readonly median: PoolReplay;
	readonly late: PoolReplay;
	/** Free slots of each node, minus those that this plan allocates. */
	readonly freeOn: Int32Array;
	/** Free slots of the pool. */
	free = 0;
	/** Grows whenever a slot, or the expected end of a holder, changes. */
	changes = 0;
	/** Number of nodes by free slots. */
	readonly #nodesWith: Int32Array;

	readonly #gpus: number;
	readonly #given: Uint8Array;
	readonly #holders: Uint16Array;
	readonly #holdersOn: Holder[][];
	/** Set by evict.ts, by node: until then no holder there saved its work recently. Reset when a holder comes or goes. */
	readonly losesMuchUntilMs: Float64Array;
	readonly #medianEnds: EndTable;
	readonly #lateEnds: EndTable;
	/** Until when a node's end times are valid; 0: to be computed. */
	readonly #validUntilMs: Float64Array;
	readonly #medianScratch: Float64Array;
	readonly #lateScratch: Float64Array;
	readonly #givenScratch: Uint8Array;
	/** Slots that this cycle's plan allocated. */
	readonly #taken: number[] = [];
	readonly #takenFlags: Uint8Array;
	/** Attempts that this cycle's plan stops. */
	readonly #leaving = new Set<RunningAttempt>();
	#nowMs = 0;
	#fresh = false;

	constructor(view: PoolView) {
		const { accelerator, nodes, gpusPerNode: gpus, cpusPerNode: cpus = null, memoryGiBPerNode: memoryGiB = null } = view;
		this.view = view;
		this.machine = { accelerator, gpus, cpus, memoryGiB };
		this.place = { siteId: view.siteId, provider: view.provider ?? "local", region: null, instanceType: null, capacityType: "owned" };
		this.speed = speedOf(view);
		this.slots = nodes * gpus;
		this.#gpus = gpus;
		this.#given = new Uint8Array(nodes * gpus);
		this.#takenFlags = new Uint8Array(nodes * gpus);
		this.#holders = new Uint16Array(nodes * gpus);
		this.#holdersOn = Array.from({ length: nodes }, () => []);
		this.losesMuchUntilMs = new Float64Array(nodes);
		this.freeOn = new Int32Array(nodes);
		this.#nodesWith = new Int32Array(gpus + 1);
		this.#nodesWith[0] = nodes;
		this.#medianEnds = new EndTable(nodes, gpus);
		this.#lateEnds = new EndTable(nodes, gpus);
		this.#validUntilMs = new Float64Array(nodes);
		this.#medianScratch = new Float64Array(gpus);
		this.#lateScratch = new Float64Array(gpus);
		this.#givenScratch = new Uint8Array(nodes * gpus);
		this.median = new PoolReplay(this.#medianEnds, 0);
		this.late = new PoolReplay(this.#lateEnds, 0);
		this.#giveAll(view.freeSlots);
	}

	/** Undoes the last plan's allocations, because the snapshot now includes them, and reads the free slots. */
	open(view: PoolView, nowMs: number): void {
		for (const slot of this.#taken) {
			this.#takenFlags[slot] = 0;
			this.#count(slot, 1);
		}
		if (this.#taken.length > 0) this.changes++;
		this.#taken.length = 0;
		for (const attempt of this.#leaving) this.#forgetEndsOf(attempt);
		this.#leaving.clear();
		if (view !== this.view) this.#read(view);
		this.#nowMs = nowMs;
		this.#fresh = false;
		this.median.open(nowMs);
		this.late.open(nowMs);
	}

	hold(holder: Holder): void {
		this.changes++;
		for (const slot of holder.slots) {
			if (!this.#has(slot)) continue;
			if (this.#given[slot] === 1 && this.#holders[slot] === 0) this.#count(slot, -1);
			this.#holders[slot] = (this.#holders[slot] ?? 0) + 1;
			const node = this.#nodeOf(slot);
			const list = this.#holdersOn[node];
			if (list && list.at(-1) !== holder) list.push(holder);
			this.#validUntilMs[node] = 0;
			this.losesMuchUntilMs[node] = 0;
		}
	}

	removeHolder(holder: Holder): void {
		this.changes++;
		for (const slot of holder.slots) {
			if (!this.#has(slot)) continue;
			const left = (this.#holders[slot] ?? 1) - 1;
			this.#holders[slot] = left;
			if (left === 0 && this.#given[slot] === 1) this.#count(slot, 1);
			const node = this.#nodeOf(slot);
			const list = this.#holdersOn[node];
			const at = list ? list.indexOf(holder) : -1;
			if (list && at >= 0) list.splice(at, 1);
			this.#validUntilMs[node] = 0;
			this.losesMuchUntilMs[node] = 0;
		}
	}

	/** Every end must be computed again, since its inputs have changed. */
	forgetEnds(): void {
		this.changes++;
		this.#validUntilMs.fill(0);
	}

	/** Marks an attempt stopped in this cycle, before either replay is searched: its slots become free after the grace period. */
	leave(attempt: RunningAttempt): void {
		this.#leaving.add(attempt);
		this.#forgetEndsOf(attempt);
		this.#fresh = false;
	}

	#forgetEndsOf(attempt: RunningAttempt): void {
		this.changes++;
		for (const slot of attempt.slots) if (this.#has(slot)) this.#validUntilMs[this.#nodeOf(slot)] = 0;
	}

	/** Holders of slots on a node. */
	holdersOn(node: number): readonly Holder[] {
		return this.#holdersOn[node] ?? [];
	}

	/** The only attempt on the slot, if it is stopping; null if there is none or it stays. */
	leaverOf(slot: number): RunningAttempt | null {
		if (this.#holders[slot] !== 1) return null;
		const holder = this.holdersOn(this.#nodeOf(slot)).find(({ slots }) => slots.includes(slot));
		return holder?.attempt?.stopping === true ? holder.attempt : null;
	}

	/** Number of holders of a slot. More than one only when a site reports inconsistent data, or a place is reserved. */
	holdersOf(slot: number): number {
		return this.#holders[slot] ?? 0;
	}

	isFree(slot: number): boolean {
		return this.#given[slot] === 1 && this.#holders[slot] === 0 && this.#takenFlags[slot] === 0;
	}

	/** Whether the site reports the slot as free. */
	isGiven(slot: number): boolean {
		return this.#given[slot] === 1;
	}

	/** Whether this many nodes have this many free slots each, even if promised to another job. */
	hasRoom(count: number, slots: number): boolean {
		if (this.free < count * slots) return false;
		let nodes = 0;
		for (let free = slots; free <= this.#gpus; free++) nodes += this.#nodesWith[free] ?? 0;
		return nodes >= count;
	}

	/** Whether a node has this many free slots that stay free because no job is promised the node later. */
	hasUnpromised(slots: number): boolean {
		if (!this.hasRoom(1, slots)) return false;
		for (let node = 0; node < this.freeOn.length; node++) {
			if ((this.freeOn[node] ?? 0) >= slots && !this.median.hasLater(node)) return true;
		}
		return false;
	}

	/** Nodes on which such a job can start now without delaying any job placed before it, fullest first. Null: not now. */
	findNow(count: number, slots: number, lengthMs: number): number[] | null {
		if (!this.hasRoom(count, slots)) return null;
		const ready: number[] = [];
		let best = -1;
		for (let node = 0; node < this.freeOn.length; node++) {
			const free = this.freeOn[node] ?? 0;
			if (free < slots || (count === 1 && best >= 0 && free >= (this.freeOn[best] ?? 0))) continue;
			if (!this.median.staysFree(node, slots, lengthMs)) continue;
			if (count === 1) best = node;
			else ready.push(node);
		}
		if (count === 1) return best < 0 ? null : [best];
		if (ready.length < count) return null;
		ready.sort((a, b) => (this.freeOn[a] ?? 0) - (this.freeOn[b] ?? 0) || a - b);
		return ready.slice(0, count).sort((a, b) => a - b);
	}

	/** Allocates the lowest free slots of a node in this plan. */
	take(node: number, count: number): number[] {
		const given: number[] = [];
		for (let slot = node * this.#gpus; slot < (node + 1) * this.#gpus && given.length < count; slot++) {
			if (this.isFree(slot)) given.push(slot);
		}
		this.takeSlots(given);
		return given;
	}

	takeSlots(slots: readonly number[]): void {
		this.changes++;
		for (const slot of slots) {
			this.#count(slot, -1);
			this.#takenFlags[slot] = 1;
			this.#taken.push(slot);
		}
	}

	/** Updates the end times of all nodes. Must run before either replay is searched. */
	refresh(): void {
		if (this.#fresh) return;
		this.#fresh = true;
		for (let node = 0; node < this.#validUntilMs.length; node++) {
			if ((this.#validUntilMs[node] ?? 0) <= this.#nowMs) this.#workOut(node);
		}
	}

	#workOut(node: number): void {
		this.changes++;
		const from = node * this.#gpus;
		const [median, late] = [this.#medianScratch.fill(0), this.#lateScratch.fill(0)];
		let validUntilMs = Number.POSITIVE_INFINITY;
		for (const holder of this.#holdersOn[node] ?? []) {
			const leaves = holder.attempt !== null && this.#leaving.has(holder.attempt);
			const { p50Ms, p90Ms } = leaves ? endOfStop(this.#nowMs) : holder.end(this.#nowMs);
			validUntilMs = Math.min(validUntilMs, p50Ms);
			for (const slot of holder.slots) {
				const i = slot - from;
				if (i < 0 || i >= this.#gpus) continue;
				median[i] = Math.max(median[i] ?? 0, p50Ms);
				late[i] = Math.max(late[i] ?? 0, p90Ms);
			}
		}
		for (let i = 0; i < this.#gpus; i++) {
			if (median[i] !== 0 || this.#given[from + i] === 1) continue;
			// Neither free nor held by a known job: the end is unknown.
			const { p50Ms, p90Ms } = unknownEndTime(this.#nowMs);
			validUntilMs = Math.min(validUntilMs, p50Ms);
			median[i] = p50Ms;
			late[i] = p90Ms;
		}
		this.#medianEnds.set(node, median);
		this.#lateEnds.set(node, late);
		this.#validUntilMs[node] = validUntilMs;
	}

	#giveAll(freeSlots: readonly number[]): void {
		for (const slot of freeSlots) {
			if (!this.#has(slot) || this.#given[slot] === 1) continue;
			this.#given[slot] = 1;
			this.#count(slot, 1);
		}
	}

	#read(view: PoolView): void {
		const now = this.#givenScratch.fill(0);
		for (const slot of view.freeSlots) if (this.#has(slot)) now[slot] = 1;
		for (let slot = 0; slot < now.length; slot++) {
			if (now[slot] === this.#given[slot]) continue;
			this.changes++;
			this.#given[slot] = now[slot] ?? 0;
			if (this.#holders[slot] === 0) this.#count(slot, now[slot] === 1 ? 1 : -1);
			this.#validUntilMs[this.#nodeOf(slot)] = 0;
		}
		this.view = view;
	}

	#count(slot: number, by: number): void {
		const node = this.#nodeOf(slot);
		const free = this.freeOn[node] ?? 0;
		this.freeOn[node] = free + by;
		this.#nodesWith[free] = (this.#nodesWith[free] ?? 0) - 1;
		this.#nodesWith[free + by] = (this.#nodesWith[free + by] ?? 0) + 1;
		this.free += by;
	}

	#has(slot: number): boolean {
		return Number.isInteger(slot) && slot >= 0 && slot < this.#given.length;
	}

	#nodeOf(slot: number): number {
		return Math.floor(slot / this.#gpus);
	}
}

export function speedOf(view: PoolView): number {
	return view.speed !== undefined && view.speed > 0 ? view.speed : 1;
}

/** Properties of a pool that do not depend on its jobs. */
export function samePool(a: PoolView, b: PoolView): boolean {
	return (
		a === b ||
		(a.id === b.id &&
			a.siteId === b.siteId &&
			a.accelerator === b.accelerator &&
			a.nodes === b.nodes &&
			a.gpusPerNode === b.gpusPerNode &&
			a.microUsdPerGpuHour === b.microUsdPerGpuHour &&
			a.wattsPerGpu === b.wattsPerGpu &&
			a.gridGramsPerKwh === b.gridGramsPerKwh &&
			a.pue === b.pue &&
			a.healthy === b.healthy &&
			a.multiNode === b.multiNode &&
			a.cpusPerNode === b.cpusPerNode &&
			a.memoryGiBPerNode === b.memoryGiBPerNode &&
			a.provider === b.provider &&
			a.speed === b.speed &&
			a.interconnect === b.interconnect)
	);
}
