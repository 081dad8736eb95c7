import { describe, expect, it } from "vitest";
import type { NeedFacts } from "#server/domain/pipeline/advance.ts";
import { checkStepCondition, stepConditionHolds } from "./step-condition.ts";

const facts = (state: NeedFacts["state"], exit = 0): NeedFacts => ({
	...{ state, exit, runs: 3, succeeded: state === "succeeded" ? 3 : 1 },
	...{ failed: state === "failed" ? 2 : 0, skipped: 0 },
	...{ min: { loss: 0.2, "val/loss": 0.3 }, max: { loss: 0.9 }, results: { model: 1.5 } },
});

describe("the condition of a step", () => {
	it.each([
		['needs.train.state == "succeeded"', true],
		["needs.train.exit == 0", true],
		["needs.train.min.loss < 0.5 && needs.train.max.loss > 0.5", true],
		['needs.train.min["val/loss"] > 1', false],
		["needs.train.results.model > 1", true],
		['"accuracy" in needs.train.max', false],
		["needs.check.exit == 42 && needs.train.succeeded >= 2", true],
		['needs["check"].failed > 1', true],
		['needs.check.state == "succeeded"', false],
	])("%s", (text, holds) => {
		expect(checkStepCondition(text, ["train", "check"])).toEqual([]);
		expect(stepConditionHolds(text, { train: facts("succeeded"), check: facts("failed", 42) })).toEqual({ holds, error: null });
	});

	it.each([
		["needs.train.state = 1", /cannot be read/],
		["needs.train.sate == 'x'", /is invalid/],
		["needs.train.exit", /must be true or false/],
		["needs.train.min.loss == 'low'", /is invalid/],
		["needs.tran.exit == 0", /reads tran, which the step does not need/],
		["needs.train.exit == 0 && needs.train.state.matches('a')", /calls matches/],
		['needs.train.state == "done"', /can never hold/],
		["needs.train.exit > 0 && needs.train.exit < 0", /can never hold/],
	])("rejects %s", (text, message) => {
		expect(
			checkStepCondition(text, ["train"])
				.map((p) => p.message)
				.join(),
		).toMatch(message);
	});

	it("has no result when a metric was not reported", () => {
		const text = "needs.train.min.accuracy > 0.5";
		expect(checkStepCondition(text, ["train"])).toEqual([]);
		expect(stepConditionHolds(text, { train: facts("succeeded") })).toMatchObject({
			holds: null,
			error: expect.stringContaining("accuracy"),
		});
	});

	it("accepts conditions that hold for some exit code or number of runs", () => {
		for (const text of ["needs.train.exit == 137", "needs.train.failed >= 2", "needs.train.runs == 12", 'needs.train.state == "skipped"'])
			expect(checkStepCondition(text, ["train"])).toEqual([]);
	});
});
