import type { SpotTerms } from "./spot-run.ts";

/**
 * The lowest cost of one job with the whole trace known: what perfect foresight could achieve under the same terms.
 *
 * Dynamic programming over the moments at which some zone changes × work done × {free, on on-demand}, exact on a grid of `unit` (the
 * greatest common divisor of probe interval and changeover). Why these choices are enough when all zones cost the same and spot is cheaper
 * than on-demand:
 * - a spot run once started is kept to its end: leaving earlier saves spot's price but buys the work again for at least as much;
 * - of the runs that are up, the one that ends last is as good as any other;
 * - a run is joined at a change: joining later than its start replaces spot by more expensive on-demand, or idles for nothing;
 * - on-demand may start and stop anywhere between two changes. It must cover its changeover, which continues across changes.
 * It leaves each run just before it ends, so it loses no work. Deadlines are rounded up to the grid, so the result is never above the true
 * optimum.
 */
export class SpotOptimum {
	readonly #unitMs: number;
	readonly #tick: number;
	readonly #changeover: number;
	readonly #work: number;
	readonly #price: number;
	/** By tick: the end of the longest-lasting run, or the tick itself when no zone is up. */
	readonly #end: Int32Array;
	readonly #changes: Uint8Array;

	constructor(zones: readonly Uint8Array[], tickMs: number, terms: SpotTerms) {
		const changeoverMs = terms.bootMs + terms.restoreMs;
		this.#unitMs = gcd(gcd(tickMs, changeoverMs), terms.workMs);
		this.#tick = tickMs / this.#unitMs;
		this.#changeover = changeoverMs / this.#unitMs;
		this.#work = terms.workMs / this.#unitMs;
		this.#price = terms.spotPrice;
		const length = Math.min(...zones.map((zone) => zone.length));
		this.#end = new Int32Array(length);
		this.#changes = new Uint8Array(length);
		for (const zone of zones) {
			let end = length;
			for (let tick = length - 1; tick >= 0; tick--) {
				if (zone[tick] !== 1) end = tick;
				if (zone[tick] !== 1 && this.#end[tick] === 0) this.#end[tick] = tick;
				if (zone[tick] === 1) this.#end[tick] = Math.max(this.#end[tick] ?? 0, end);
				if (tick > 0 && zone[tick] !== zone[tick - 1]) this.#changes[tick] = 1;
			}
		}
	}

	/** Lowest cost of a job that starts at a tick, in hours of on-demand capacity. */
	cost(start: number, deadlineFactor: number): number {
		const moments = this.#moments(start, deadlineFactor);
		const deadline = moments.at(-1) ?? 0;
		const work = this.#work;
		const free = moments.map(() => new Float64Array(work + 1).fill(Number.POSITIVE_INFINITY));
		// Shifted by the changeover, for jobs on on-demand that have not completed it.
		const firm = moments.map(() => new Float64Array(work + 1 + this.#changeover).fill(Number.POSITIVE_INFINITY));
		const first = free[0];
		if (first) first[0] = 0;
		const indexOf = new Map(moments.map((moment, index) => [moment, index]));
		let best = Number.POSITIVE_INFINITY;
		for (let j = 0; j + 1 < moments.length; j++) {
			const now = moments[j] ?? 0;
			const next = moments[j + 1] ?? deadline;
			const [here, hereFirm, then, thenFirm] = [free[j], firm[j], free[j + 1], firm[j + 1]];
			if (!here || !hereFirm || !then || !thenFirm) break;
			// Less work than this cannot be made up, and more than the elapsed time is impossible.
			const low = Math.max(0, work - (deadline - now));
			const high = Math.min(work, now);
			for (let done = low; done <= high; done++) {
				here[done] = Math.min(here[done] ?? Number.POSITIVE_INFINITY, hereFirm[done + this.#changeover] ?? Number.POSITIVE_INFINITY);
				then[done] = Math.min(then[done] ?? Number.POSITIVE_INFINITY, here[done] ?? Number.POSITIVE_INFINITY);
			}
			const span = next - now;
			best = Math.min(best, this.#firmToEnd(here, hereFirm, low, high, deadline - now));
			this.#stayFirm(here, hereFirm, thenFirm, low, high, span);
			this.#stopFirm(hereFirm.subarray(this.#changeover), then, low, high, span, 0);
			this.#stopFirm(here, then, low, high, span - this.#changeover, this.#changeover);
			const end = Math.min(deadline, ((this.#end[start + now / this.#tick] ?? 0) - start) * this.#tick);
			const after = free[indexOf.get(end) ?? moments.length - 1];
			if (end - now > this.#changeover && after) best = Math.min(best, this.#takeRun(here, after, low, high, end - now));
		}
		return (best * this.#unitMs) / 3_600_000;
	}

	/** The start, each change before the deadline, and the deadline, in units. */
	#moments(start: number, deadlineFactor: number): number[] {
		const deadline = Math.ceil(deadlineFactor * this.#work - 1e-9);
		const moments = [0];
		for (let tick = 1; tick * this.#tick < deadline; tick++) if (this.#changes[start + tick] === 1) moments.push(tick * this.#tick);
		return [...moments, deadline];
	}

	/** On-demand from here to the end of the work. */
	#firmToEnd(free: Float64Array, firm: Float64Array, low: number, high: number, left: number): number {
		let best = Number.POSITIVE_INFINITY;
		for (let done = low; done <= high; done++) {
			const rest = this.#work - done;
			if (rest + this.#changeover <= left) best = Math.min(best, (free[done] ?? 0) + rest + this.#changeover);
			best = Math.min(best, (firm[done + this.#changeover] ?? 0) + rest);
		}
		return best;
	}

	/** On-demand through the whole span. A changeover that outlasts it is carried over, by counting less work as done. */
	#stayFirm(free: Float64Array, firm: Float64Array, then: Float64Array, low: number, high: number, span: number): void {
		const shift = this.#changeover;
		for (let done = low - shift; done <= high; done++) {
			const on = done + span;
			if (on < this.#work && done >= -shift) then[on + shift] = Math.min(then[on + shift] ?? 0, (firm[done + shift] ?? 0) + span);
			if (on - shift < this.#work && done >= low) then[on] = Math.min(then[on] ?? 0, (free[done] ?? 0) + span);
		}
	}

	/** On-demand for any part of the span, up to `most` of work: the minimum of from[w] + (done − w) over the w within reach. */
	#stopFirm(from: Float64Array, then: Float64Array, low: number, high: number, most: number, extra: number): void {
		if (most <= 0) return;
		const queue = new Int32Array(high - low + 1);
		let [head, tail] = [0, 0];
		const base = (done: number): number => (from[done] ?? 0) - done;
		for (let done = low; done < this.#work && done <= high + most; done++) {
			if (done <= high && Number.isFinite(from[done])) {
				while (tail > head && base(queue[tail - 1] ?? 0) >= base(done)) tail--;
				queue[tail++] = done;
			}
			while (head < tail && (queue[head] ?? 0) < done - most) head++;
			if (head < tail) then[done] = Math.min(then[done] ?? 0, base(queue[head] ?? 0) + done + extra);
		}
	}

	#takeRun(free: Float64Array, after: Float64Array, low: number, high: number, span: number): number {
		let best = Number.POSITIVE_INFINITY;
		for (let done = low; done <= high; done++) {
			const on = done + span - this.#changeover;
			const before = free[done] ?? 0;
			if (on >= this.#work) best = Math.min(best, before + this.#price * (this.#work - done + this.#changeover));
			else after[on] = Math.min(after[on] ?? 0, before + this.#price * span);
		}
		return best;
	}
}

function gcd(a: number, b: number): number {
	return b === 0 ? a : gcd(b, a % b);
}
