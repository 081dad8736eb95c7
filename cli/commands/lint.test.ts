import { describe, expect, it } from "vitest";
import { lengthWarnings } from "./lint.ts";

type Quoted = Parameters<typeof lengthWarnings>[0];
type Candidate = Quoted["candidates"][number];

const place = (capacityType: string, outcome: string): Candidate => ({ placement: { capacityType }, outcome }) as Candidate;
const excluded = (why: string, facts: Record<string, unknown>): Quoted["removed"][number] =>
	({ why, ruleId: null, count: 3, cheapest: { removedBy: { ruleId: null, why, facts } } }) as Quoted["removed"][number];
const shortLife = excluded("life_too_short", { lifeMs: 360_000, neededMs: 3_600_000, missing: "end" });

describe("lint of a job file", () => {
	it("warns when no machine lives long enough, at the field to change", () => {
		const [warning, ...more] = lengthWarnings({ removed: [shortLife, excluded("region_denied", {})], candidates: [] });
		expect(more).toEqual([]);
		expect(warning?.at).toEqual(["spec", "duration", "estimate"]);
		expect(warning?.message).toMatch(/^No machine could finish this job\. The instance lifetime of 6m is too short for the job to finish/);
	});

	it("says that the job can run at home, and names the interval when a machine would not reach the next checkpoint", () => {
		const checkpoint = excluded("life_too_short", { lifeMs: 360_000, neededMs: 900_000, missing: "checkpoint" });
		const [warning] = lengthWarnings({ removed: [checkpoint], candidates: [place("owned", "passes"), place("spot", "removed")] });
		expect(warning?.at).toEqual(["spec", "checkpoint", "interval"]);
		expect(warning?.message).toContain("it can run only at home");
	});

	it("does not warn when one cloud machine can finish the job", () => {
		expect(lengthWarnings({ removed: [shortLife], candidates: [place("spot", "passes")] })).toEqual([]);
		expect(lengthWarnings({ removed: [excluded("region_denied", {})], candidates: [] })).toEqual([]);
	});
});
