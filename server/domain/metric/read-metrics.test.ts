import { describe, expect, it } from "vitest";
import { compileMetricPattern, patternProblem } from "./read-metrics.ts";

const read = (pattern: string, line: string) => compileMetricPattern(pattern)(line);

describe("metrics in output", () => {
	it.each([
		["loss={loss}", "epoch 3 loss=0.25 acc=0.9", { step: null, values: { loss: 0.25 } }],
		["epoch {step} loss={loss}", "epoch   3 loss=2.5e-3", { step: 3, values: { loss: 0.0025 } }],
		[
			"Step {step}/100: loss {loss} ({tokens/s} tokens/s)",
			"Step 7/100: loss .5 (1200 tokens/s)",
			{ step: 7, values: { loss: 0.5, "tokens/s": 1200 } },
		],
		["loss={loss}", "loss=nan", null],
		["loss={loss}", "no metrics here", null],
		["json", '{"step": 4, "loss": 0.5, "note": "x"}', { step: 4, values: { loss: 0.5 } }],
		["json", '{"epoch": 2, "val/loss": 1}', { step: 2, values: { "val/loss": 1 } }],
		["json", '{"loss": "high"}', null],
		["json", "[1, 2]", null],
		["a.b={x}", "aXb=1", null],
	])("%s reads %s", (pattern, line, expected) => {
		expect(patternProblem(pattern)).toBeNull();
		expect(read(pattern, line)).toEqual(expected);
	});

	it.each([
		["loss", "must name a metric"],
		["{step}", "besides {step}"],
		["{a b}", "not a metric name"],
		["{a}{b}", "needs text between"],
		["{a} {a}", "names a metric twice"],
	])("rejects the pattern %s", (pattern, message) => {
		expect(patternProblem(pattern)).toContain(message);
	});

	it("runs in linear time on hostile lines", () => {
		expect(read("a {x} b {y} c", `a ${"1".repeat(4_000)}`)).toBeNull();
		expect(read("loss={loss}", "loss=".repeat(800))).toBeNull();
	});
});
