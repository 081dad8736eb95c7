/** Whether `npm run test:deep` runs: more cases, and seeds that differ from run to run. */
export const isDeep = process.env["SPILLWAY_TEST_DEEP"] === "1";

/** The number of cases of a property: a short sample in `npm test`, all of them in `npm run test:deep`. */
export function cases(sample: number, all: number): number {
	return isDeep ? all : sample;
}

/** A short sample of a list of cases in `npm test`, evenly spaced and with the first; all of them in `npm run test:deep`. */
export function sampled<T>(all: readonly T[], count: number): readonly T[] {
	if (isDeep || count >= all.length) return all;
	return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as T);
}
