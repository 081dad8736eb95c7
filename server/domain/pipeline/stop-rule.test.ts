import { describe, expect, it } from "vitest";
import { decideStops, type StopRule, type Trial } from "./stop-rule.ts";

const MEDIAN: StopRule = { metric: "loss", goal: "minimize", rule: "median", warmup: 2, reduction: 3, target: null };
const trial = (index: number, values: readonly number[], isRunning = true): Trial => ({
	...{ index, isRunning },
	points: values.map((value, at) => ({ step: at + 1, value })),
});
const stopped = (rule: StopRule, trials: Trial[]) => decideStops(rule, trials).stops.map(({ index }) => index);

describe("stopping trials early", () => {
	it("stops trials worse than the median of the others at the same step, after the warm-up", () => {
		const others = [trial(0, [3, 1, 0.5], false), trial(1, [3, 2, 1.5], false), trial(2, [3, 3, 2.5], false)];
		expect(stopped(MEDIAN, [...others, trial(3, [9, 2.5])])).toEqual([3]);
		expect(stopped(MEDIAN, [...others, trial(3, [9, 1.5])])).toEqual([]);
		expect(stopped(MEDIAN, [...others, trial(3, [9])])).toEqual([]);
		expect(decideStops(MEDIAN, [...others, trial(3, [9, 2.5])]).stops[0]?.why).toBe(
			"loss 2.5 at step 2 is worse than the median 2 of 3 trials",
		);
	});

	it("compares with the best value so far, and requires three others", () => {
		const others = [trial(0, [1, 1], false), trial(1, [1, 1], false), trial(2, [1, 1], false)];
		expect(stopped(MEDIAN, [...others, trial(3, [0.5, 9])])).toEqual([]);
		expect(stopped(MEDIAN, [...others.slice(1), trial(3, [9, 9])])).toEqual([]);
	});

	it("supports maximizing", () => {
		const rule: StopRule = { ...MEDIAN, goal: "maximize" };
		const others = [trial(0, [1, 5], false), trial(1, [1, 6], false), trial(2, [1, 7], false)];
		expect(stopped(rule, [...others, trial(3, [1, 5.5]), trial(4, [1, 6.5])])).toEqual([3]);
	});

	it("lets only the best part pass a rung of successive halving", () => {
		const rule: StopRule = { ...MEDIAN, rule: "halving", warmup: 1, reduction: 3 };
		const trials = [1, 2, 3, 4, 5, 6].map((value, index) => trial(index, [value]));
		expect(stopped(rule, trials)).toEqual([2, 3, 4, 5]);
		expect(stopped(rule, trials.slice(0, 2))).toEqual([]);
		// The next rung is at step 3.
		const second = [1, 2, 3].map((value, index) => trial(index, [9, 9, value]));
		expect(stopped(rule, second)).toEqual([1, 2]);
	});

	it("ends the sweep when a trial reaches the target, whether the trial has ended or not", () => {
		const rule: StopRule = { ...MEDIAN, rule: "none", target: 0.1 };
		expect(decideStops(rule, [trial(0, [0.2]), trial(1, [0.09], false)]).reached).toEqual({
			index: 1,
			why: "another trial reached loss 0.09",
		});
		expect(decideStops(rule, [trial(0, [0.2])])).toEqual({ stops: [], reached: null });
	});
});
