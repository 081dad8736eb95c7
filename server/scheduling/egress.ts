/** Price of the next GiB out of a place, in integer µ$ each, for a number of GiB or for all that follow. */
export interface EgressStep {
	/** null: no end. */
	gib: number | null;
	microUsdPerGiB: number;
}

/**
 * Egress cost of this many GiB from a place, µ$, rounded up once. The volume is split over the remaining tiers.
 * @param steps absent: no tiers are known there, and each GiB costs `perGiB`
 */
export function egressMicroUsd(gib: number, steps: readonly EgressStep[] | undefined, perGiB: bigint): number {
	if (steps === undefined) return Math.ceil(Number(perGiB) * gib);
	let [left, sum] = [gib, 0];
	for (const step of steps) {
		const part = Math.min(left, step.gib ?? left);
		sum += part * step.microUsdPerGiB;
		left -= part;
		if (left <= 0) break;
	}
	return Math.ceil(sum);
}
