/** The shared quantile arithmetic, used for every history of run times (live, simulated, replayed). */

/** Shares at which a summarized distribution keeps its values: finer towards the tail, where most of the work is. */
export const POINT_SHARES: readonly number[] = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99, 1];

/** Linear between the two nearest samples of an ascending list (Hyndman and Fan's type 7, PostgreSQL's percentile_cont). NaN when empty. */
export function quantileOf(sorted: ArrayLike<number>, share: number): number {
	const at = share * (sorted.length - 1);
	const below = sorted[Math.floor(at)] ?? Number.NaN;
	const above = sorted[Math.ceil(at)] ?? below;
	return below + (above - below) * (at - Math.floor(at));
}

/** The values at POINT_SHARES of an ascending list. */
export function pointsOf(sorted: ArrayLike<number>): number[] {
	return POINT_SHARES.map((share) => quantileOf(sorted, share));
}

/** The rank of a value in an ascending list, or in its first `size` entries: the number of smaller values. */
export function placeOf(sorted: ArrayLike<number>, value: number, size: number = sorted.length): number {
	let low = 0;
	for (let high = size; low < high; ) {
		const middle = (low + high) >> 1;
		if ((sorted[middle] ?? value) < value) low = middle + 1;
		else high = middle;
	}
	return low;
}
