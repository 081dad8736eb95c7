import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { isAvailable } from "#server/simulation/replay/availability.ts";
import type { Availability } from "#server/simulation/replay/types.ts";

/** Step of time and work: a sixth of a restart of 0.2 h, a fifth of a probe. */
const STEP_MS = 2 * MINUTE_MS;

export interface OptimumTerms {
	zones: readonly { spotUsdPerHour: number; onDemandUsdPerHour: number; region: string; availability: Availability }[];
	workMs: number;
	deadlineMs: number;
	restartMs: number;
	/** Cost of a start in another region than the one before. */
	moveUsd: number;
}

/**
 * The minimum cost of one job with the whole recording known, $: dynamic programming over steps of time, work left and place. A start after
 * the first one adds a restart to the work. Within one on-demand place only the cheapest option matters. A waiting job's data in its last
 * region is ignored: its next start moves the checkpoint at no cost, so the figure is a lower bound.
 */
export function optimumUsd({ zones, workMs, deadlineMs, restartMs, moveUsd }: OptimumTerms): number {
	const works = Math.ceil(workMs / STEP_MS);
	const steps = Math.floor(deadlineMs / STEP_MS);
	const restart = Math.round(restartMs / STEP_MS);
	const firm = Math.min(...zones.map(({ onDemandUsdPerHour }) => onDemandUsdPerHour));
	const prices = [...zones.map(({ spotUsdPerHour }) => spotUsdPerHour), firm].map((usd) => (usd * STEP_MS) / HOUR_MS);
	const firmRegion = zones.find(({ onDemandUsdPerHour }) => onDemandUsdPerHour === firm)?.region ?? "";
	const regions = [...zones.map(({ region }) => region), firmRegion];
	const none = prices.length;
	const width = works + restart + 1;
	const tables = (): Float64Array[] => Array.from({ length: none + 1 }, () => new Float64Array(width));
	let [next, now] = [tables(), tables()];
	for (const values of next) values.fill(Number.POSITIVE_INFINITY, 1);
	for (let step = steps - 1; step >= 0; step--) {
		const up = [...zones.map(({ availability }) => isAvailable(availability, step * STEP_MS)), true];
		for (let work = 1; work < width; work++) {
			for (let from = 0; from <= none; from++) {
				let best = next[none]?.[work] ?? Number.POSITIVE_INFINITY;
				// The first start restores nothing.
				const first = from === none && work === works;
				for (let to = 0; to < none; to++) {
					if (!up[to]) continue;
					const added = to === from || first ? 0 : restart;
					const moved = to === from || from === none || regions[to] === regions[from] ? 0 : moveUsd;
					const value = (prices[to] ?? 0) + moved + (next[to]?.[work + added - 1] ?? Number.POSITIVE_INFINITY);
					if (value < best) best = value;
				}
				const values = now[from];
				if (values) values[work] = best;
			}
		}
		[next, now] = [now, next];
		for (const values of next) values[0] = 0;
		for (const values of now) values[0] = 0;
	}
	return next[none]?.[works] ?? Number.POSITIVE_INFINITY;
}
