/** Whether `npm run test:deep` runs: more cases, and seeds that differ from run to run. */
export const isDeep = process.env["SPILLWAY_TEST_DEEP"] === "1";

/** The number of cases of a property: a short sample in `npm test`, all of them in `npm run test:deep`. */
export function cases(sample: number, all: number): number {
	return isDeep ? all : sample;
}
