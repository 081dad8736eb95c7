import { POLICY_LIMITS } from "./limits.ts";

/** Steps for comparing two texts without a star: most differ in their first characters. */
const PLAIN_STEPS = 8;
/** Steps for comparing a name with another one to find typos. */
const SLIP_STEPS = 64;
/** Steps for looking up whether an offer fits a pattern. */
const JUDGE_STEPS = 4;

/**
 * Counts the work of one policy check on comparing patterns, names and places; a step is about one compared character. Beyond
 * POLICY_LIMITS.placeSteps no further problems are reported: the length of a text bounds its number of lists, not of their
 * pairs.
 */
export class PlaceWork {
	#left: number = POLICY_LIMITS.placeSteps;

	/** Whether every entry of one list may still be compared with every entry of the other. */
	affords(a: readonly string[], b: readonly string[]): boolean {
		const starred = a.some(hasStar) || b.some(hasStar);
		return this.#takes(starred ? charactersOf(a) * charactersOf(b) : a.length * b.length * PLAIN_STEPS);
	}

	/** Whether a name may still be compared with all existing ones. */
	affordsNearest(names: readonly string[]): boolean {
		return this.#takes(names.length * SLIP_STEPS);
	}

	/** Whether an offer may still be judged by rules with this many entries; pattern results are cached. */
	affordsJudging(entries: number): boolean {
		return this.#takes(entries * JUDGE_STEPS);
	}

	#takes(steps: number): boolean {
		this.#left -= Math.min(this.#left, steps);
		return this.#left > 0;
	}
}

function hasStar(pattern: string): boolean {
	return pattern.includes("*");
}

function charactersOf(list: readonly string[]): number {
	return list.reduce((sum, { length }) => sum + length, 0);
}
