/** Standard normal distribution function (Abramowitz and Stegun 26.2.17, error below 1e-7). */
export function normalShare(z: number): number {
	const t = 1 / (1 + 0.2316419 * Math.abs(z));
	const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
	const upper = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
	return z >= 0 ? 1 - upper : upper;
}

/** Its inverse, by bisection, from -8 to 8. */
export function normalQuantile(share: number): number {
	let [low, high] = [-8, 8];
	for (let i = 0; i < 50; i++) {
		const middle = (low + high) / 2;
		if (normalShare(middle) < share) low = middle;
		else high = middle;
	}
	return (low + high) / 2;
}
