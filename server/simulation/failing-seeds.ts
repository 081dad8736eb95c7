/** Seeds that once broke a promise. They are run forever; add a line with the seed and what it found. */
export const FAILING_SEEDS: readonly number[] = [];
