import { hash32 } from "#server/kernel/random.ts";

/** Pool slots at which draws spread half as wide as runs do. An assumption. */
const SMALL_POOL_SLOTS = 8;

/**
 * The quantile of its distribution at which the replay of a queue takes a run: a random draw, but the same at each call.
 *
 * The start of a job behind a hundred others depends on how many of them have ended by when, and medians are wrong in both directions. Of
 * many running jobs, the first end long before the median of any one; and a hundred medians add up to far less than a hundred runs when a
 * few are long. Runs drawn from the distribution have the right number of early ends and the right sum. On few slots a single running job
 * decides, so draws there are pulled towards the median.
 * @param id of the job
 * @param round how often the job outlived an earlier draw
 * @param slots of the pool; 0: the median
 */
export function drawnShare(id: string, round: number, slots: number): number {
	let mixed = hash32(id) ^ Math.imul(round + 1, 0x9e3779b9);
	// The final steps of murmur3, so that ids that differ only in their last characters are spread evenly.
	mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
	mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
	const even = ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
	return 0.5 + (0.99 * (even - 0.5) * slots) / (slots + SMALL_POOL_SLOTS);
}
