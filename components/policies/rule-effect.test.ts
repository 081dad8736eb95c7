import { describe, expect, it } from "vitest";
import { effectText } from "./rule-effect.tsx";

const NONE = { jobs: 0, changed: 0, costMicroUsd: null, sent: 0 };

describe("the effect of a rule", () => {
	it("names what it excluded, changed, cost or saved, and sent", () => {
		expect(effectText({ jobs: 12, changed: 3, costMicroUsd: "41000000", sent: 0 })).toBe(
			"excluded places for 12 jobs · changed 3 placements, about $41 more",
		);
		expect(effectText({ ...NONE, jobs: 1, changed: 1, costMicroUsd: "-2500000000" })).toBe(
			"excluded places for 1 job · changed 1 placement, about $2,500 saved",
		);
		expect(effectText({ ...NONE, sent: 7 })).toBe("sent 7 jobs to clouds");
	});
	it("is empty without records", () => {
		expect(effectText(NONE)).toBe("");
	});
});
