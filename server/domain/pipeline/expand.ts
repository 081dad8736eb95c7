import { seededRandom } from "../../kernel/random.ts";
import type { RunValues } from "./build-runs.ts";
import { PIPELINE_LIMITS, type Scalar } from "./pipeline.ts";
import type { SweepRange } from "./pipeline-schema.ts";

type Axes = Readonly<Record<string, readonly Scalar[]>>;

/** Number of runs from the axes; may exceed the limit. */
export function combinationCount(axes: Axes): number {
	return Object.values(axes).reduce((product, values) => product * values.length, 1);
}

/** Every combination of the axes' values; the last axis changes first. */
export function combinations(axes: Axes): Record<string, Scalar>[] {
	let all: Record<string, Scalar>[] = [{}];
	for (const [name, values] of Object.entries(axes)) all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
	return all;
}

export function runsOfStep(step: { foreach?: readonly Scalar[] | undefined; matrix?: Axes | undefined }): RunValues[] {
	if (step.foreach) return step.foreach.map((item) => ({ values: { item }, prefix: null }));
	if (step.matrix) return combinations(step.matrix).map((values) => ({ values, prefix: "matrix" as const }));
	return [{ values: {}, prefix: null }];
}

export interface SweepWays {
	grid?: Axes | undefined;
	random?: { trials: number; seed: number; draw: Readonly<Record<string, readonly Scalar[] | SweepRange>> } | undefined;
	list?: readonly Record<string, Scalar>[] | undefined;
}

/** Number of trials in a sweep. */
export function trialCount({ grid, random, list }: SweepWays): number {
	if (grid) return combinationCount(grid);
	return random?.trials ?? list?.length ?? 0;
}

/** The trials of a sweep. The same seed draws the same values on every machine. */
export function trialsOf({ grid, random, list }: SweepWays): RunValues[] {
	const all = grid ? combinations(grid) : random ? draws(random) : (list ?? []);
	return all.slice(0, PIPELINE_LIMITS.runs).map((values) => ({ values, prefix: "trial" as const }));
}

function draws({ trials, seed, draw }: NonNullable<SweepWays["random"]>): Record<string, Scalar>[] {
	// One random stream per name, so that adding a name does not change the values of the others.
	const streams = Object.entries(draw).map(([name, from]) => ({ name, from, random: seededRandom(seed).fork(name) }));
	return Array.from({ length: trials }, () =>
		Object.fromEntries(streams.map(({ name, from, random }) => [name, "min" in from ? drawn(from, random.next()) : random.pick(from)])),
	);
}

/** Six significant digits are enough for any parameter and short enough for lists. */
function drawn({ min, max, scale, integer }: SweepRange, share: number): number {
	if (integer && scale === "linear") return Math.min(max, Math.floor(min + share * (max - min + 1)));
	const value = scale === "log" ? min * (max / min) ** share : min + share * (max - min);
	return integer ? Math.round(value) : Number(value.toPrecision(6));
}
