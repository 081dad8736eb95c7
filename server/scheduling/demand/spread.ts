/** Number of errors after which the spread is trusted. */
export const ERRORS_MIN = 24;
/** Decay factor of the mean absolute error per outcome. */
const DECAY = 0.99;
/**
 * For each quantile: its initial value, its bounds, and its step, all in mean absolute errors. The median's bounds keep it from following
 * long runs of errors of one sign, which costs accuracy. Chosen on the Philly and Alibaba traces.
 */
const QUANTILES = [
	{ first: -1.6, least: -6, most: -0.1, step: 12 },
	{ first: 0, least: -0.4, most: 0.4, step: 4 },
	{ first: 1.6, least: 0.1, most: 6, step: 12 },
] as const;

export const PROBABILITIES = [0.1, 0.5, 0.9] as const;

/**
 * How far demand is from a point forecast with each of PROBABILITIES. Every outcome above a quantile raises it, and every one below lowers
 * it, so that in the long run the promised share is below, whatever the demand: quantile tracking (Angelopoulos, Candès and Tibshirani,
 * NeurIPS 2023, section 2.2).
 */
export class Spread {
	#errors = 0;
	#meanError = 0;
	#weight = 0;
	/** In mean absolute errors. */
	readonly #offsets = QUANTILES.map(({ first }): number => first);
	readonly #delay: number;

	/** @param delay number of outcomes still pending when one is known. */
	constructor(delay: number) {
		this.#delay = delay;
	}

	/** Values to add to a point forecast for each of PROBABILITIES; null: too few errors. */
	offsets(): number[] | null {
		if (this.#errors < ERRORS_MIN) return null;
		return this.#offsets.map((offset) => offset * this.#scale());
	}

	/** @param error demand minus the point forecast. @param below whether demand was at most each quantile; null: there was none. */
	add(error: number, below: readonly boolean[] | null): void {
		this.#errors++;
		this.#meanError = this.#meanError * DECAY + Math.abs(error);
		this.#weight = this.#weight * DECAY + 1;
		for (const [i, { least, most, step }] of QUANTILES.entries()) {
			const offset = this.#offsets[i] ?? 0;
			const isBelow = below?.[i] ?? error <= offset * this.#scale();
			const wanted = PROBABILITIES[i] ?? 0.5;
			this.#offsets[i] = Math.min(most, Math.max(least, offset + (step / this.#delay) * (wanted - (isBelow ? 1 : 0))));
		}
	}

	#scale(): number {
		return this.#weight > 0 ? this.#meanError / this.#weight : 0;
	}
}
