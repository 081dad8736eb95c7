/** What the next GiB out of a place cost, in integer µ$ each: so many of them, or all that follow. */
export interface EgressStep {
	/** null: no end. */
	gib: number | null;
	microUsdPerGiB: number;
}

/**
 * What it costs that so many GiB leave a place, µ$, rounded up once: part by part through the steps that are ahead of them.
 * @param steps absent: nothing is known of tiers there, and each costs `perGiB`
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
