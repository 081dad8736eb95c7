import { LIMITS } from "../limits.ts";
import { POINT_SHARES, placeOf } from "./quantiles.ts";

/**
 * Exponent of the tail beyond the longest run seen: P(longer than x·t | longer than t) = x^-TAIL_EXPONENT. It follows from
 * LIMITS.overrunShareP50: 2^(1/k) − 1.
 */
const TAIL_EXPONENT = Math.LN2 / Math.log(1 + LIMITS.overrunShareP50);

/** A part of a mixture: values at POINT_SHARES of that many samples, with its weight. Values are ms, ascending, above 0. */
export interface Component {
	weight: number;
	samples: number;
	points: readonly number[];
}

/**
 * How long something takes: a distribution function, linear between its steps, with a Pareto tail beyond the last. Values are ms.
 *
 * Runs of exactly the same length, to the ms, share one step, and the share rises evenly from the value below to it: forty runs of 1 h have
 * a median of 0.51 h (their P90 is 0.92 h), while forty that differ by seconds have one of 1 h. Measured lengths differ; those of traces in
 * whole seconds or minutes do not. A vertical step (one more value, 1 ms below it) was tried: docs/forecast.md, The benchmark.
 */
export class Distribution {
	readonly #values: Float64Array;
	/** Share that is at most the value. */
	readonly #shares: Float64Array;

	/** A mixture of weighted components; at least one has a positive weight. */
	constructor(components: readonly Component[]) {
		const total = components.reduce((sum, c) => sum + c.weight, 0);
		this.#values = stepsOf(components);
		this.#shares = new Float64Array(this.#values.length);
		for (const component of components) addShares(component, this.#values, this.#shares);
		for (let i = 0; i < this.#shares.length; i++) this.#shares[i] = this.#share(i) / total;
	}

	/** The share of runs that take at most this long. */
	shareUpTo(ms: number): number {
		const i = placeOf(this.#values, ms);
		if (ms <= 0) return 0;
		const last = this.#values.length - 1;
		if (i > last) return 1 - this.#tailShare() * (ms / this.#at(last)) ** -TAIL_EXPONENT;
		return between(ms, this.#at(i - 1), this.#at(i), this.#share(i - 1), this.#share(i));
	}

	quantile(share: number): number {
		const last = this.#values.length - 1;
		if (share >= this.#share(last))
			return this.#at(last) * (this.#tailShare() / Math.max(1 - share, Number.EPSILON)) ** (1 / TAIL_EXPONENT);
		const i = Math.max(1, placeOf(this.#shares, share));
		return between(share, this.#share(i - 1), this.#share(i), this.#at(i - 1), this.#at(i));
	}

	/** Remaining time, at this quantile, of a run that has taken `doneMs`: from the distribution of longer runs. */
	restAfter(doneMs: number, share: number): number {
		const before = this.shareUpTo(doneMs);
		return Math.max(0, this.quantile(before + share * (1 - before)) - Math.max(0, doneMs));
	}

	/** The mean, cut at `capMs`. */
	meanUpTo(capMs: number): number {
		let sum = 0;
		for (let i = 1; i < this.#values.length; i++) {
			const [from, to] = [this.#at(i - 1), this.#at(i)];
			sum += (this.#share(i) - this.#share(i - 1)) * Math.min(capMs, (from + to) / 2);
		}
		const last = this.#at(this.#values.length - 1);
		return sum + this.#tailShare() * Math.min(capMs, (last * TAIL_EXPONENT) / (TAIL_EXPONENT - 1));
	}

	#tailShare(): number {
		return 1 - this.#share(this.#shares.length - 1);
	}

	#at(i: number): number {
		return this.#values[i] ?? 0;
	}

	#share(i: number): number {
		return this.#shares[i] ?? 0;
	}
}

/** 0 and every distinct value of the components, ascending. */
function stepsOf(components: readonly Component[]): Float64Array {
	const all = new Float64Array(components.reduce((sum, c) => sum + c.points.length, 1));
	let size = 1;
	for (const { points } of components) for (const value of points) if (value > 0) all[size++] = value;
	const sorted = all.subarray(0, size).sort();
	let kept = 1;
	for (let i = 1; i < size; i++) if (sorted[i] !== sorted[i - 1]) sorted[kept++] = sorted[i] ?? 0;
	return sorted.slice(0, kept);
}

/**
 * Adds, multiplied by its weight, the share of a component's next run that is at most each of the values (ascending). Of n
 * samples the k-th smallest is at k / (n + 1), so that a few samples never exclude shorter or longer runs (Weibull's plotting
 * positions).
 */
function addShares({ points, samples, weight }: Component, values: Float64Array, shares: Float64Array): void {
	const place = (i: number): number => ((POINT_SHARES[i] ?? 1) * (samples - 1) + 1) / (samples + 1);
	const last = points.length - 1;
	const longest = points[last] ?? 0;
	let i = 0;
	for (let k = 0; k < values.length; k++) {
		const value = values[k] ?? 0;
		while (i <= last && (points[i] ?? value) < value) i++;
		// The last of equal points, so that the whole step counts at its value.
		while (i < last && points[i] === value && points[i + 1] === value) i++;
		const share =
			value >= longest
				? 1 - (1 - place(last)) * (value / Math.max(longest, 1)) ** -TAIL_EXPONENT
				: points[i] === value
					? place(i)
					: i === 0
						? between(value, 0, points[0] ?? 1, 0, place(0))
						: between(value, points[i - 1] ?? 0, points[i] ?? 1, place(i - 1), place(i));
		shares[k] = (shares[k] ?? 0) + weight * share;
	}
}

function between(x: number, x0: number, x1: number, y0: number, y1: number): number {
	return x1 <= x0 ? y1 : y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
}
