/** How a job's run time depends on its number of GPUs. */
export interface Scaling {
	/** Maximum number of GPUs that it may use, over all nodes. */
	upTo: number;
	/** Amdahl's law from the requested size up: the share of the run time that scales down by k with k times the GPUs. */
	parallel?: number;
	/** Measured speeds in any unit, ascending in GPUs. */
	curve?: readonly { gpus: number; speed: number }[];
}

/** Run time on `from` GPUs ÷ run time on `to`. Constant above the largest and below the smallest measured size. */
export function speedup(scaling: Scaling, from: number, to: number): number {
	if (scaling.curve) return speedAt(scaling.curve, to) / speedAt(scaling.curve, from);
	const parallel = scaling.parallel ?? 0;
	return 1 / (1 - parallel + (parallel * from) / to);
}

/** Linear interpolation between the measured sizes. */
function speedAt(curve: NonNullable<Scaling["curve"]>, gpus: number): number {
	const above = curve.findIndex((point) => point.gpus >= gpus);
	const [low, high] = [curve[above - 1], curve[above]];
	if (!high) return curve.at(-1)?.speed ?? 1;
	if (!low || high.gpus === gpus) return high.speed;
	return low.speed + ((high.speed - low.speed) * (gpus - low.gpus)) / (high.gpus - low.gpus);
}

/** Larger sizes that a job may request: 2, 4, 8 … times its GPUs, and its maximum. */
export function largerSizes({ upTo }: Scaling, gpus: number): number[] {
	const sizes: number[] = [];
	for (let size = gpus * 2; size < upTo; size *= 2) sizes.push(size);
	return upTo > gpus ? [...sizes, upTo] : sizes;
}

/** The size that minimizes the cost of GPU-hours plus the cost of delay; the smaller of two equal ones. */
export function cheapestSize(
	scaling: Scaling,
	gpus: number,
	prices: { perGpuHour: number; perHour: number },
	fits: (gpus: number) => boolean = () => true,
): number {
	const cost = (size: number): number => (size * prices.perGpuHour + prices.perHour) / speedup(scaling, gpus, size);
	return largerSizes(scaling, gpus).reduce((best, size) => (fits(size) && cost(size) < cost(best) ? size : best), gpus);
}
