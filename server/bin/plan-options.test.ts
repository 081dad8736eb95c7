import { describe, expect, it } from "vitest";
import { commandOf, readPlanOptions } from "./plan-options.ts";

function command(argv: readonly string[]): string {
	const options = readPlanOptions(argv);
	if (!options) throw new Error("these arguments ask for help");
	return commandOf(options, 24);
}

describe("the command that reproduces a report", () => {
	it("keeps every flag and adds the GPUs that were estimated", () => {
		expect(command(["headline", "--trace=a b.csv", "--days=28", "--seed", "3", "--no-progress"])).toBe(
			"spillway plan headline '--trace=a b.csv' --days=28 --seed 3 --gpus=24 --json",
		);
	});
	it("adds no GPUs if they were given, or if a scenario has them", () => {
		expect(command(["headline", "--trace=t.csv", "--gpus=8", "--json"])).toBe("spillway plan headline --trace=t.csv --gpus=8 --json");
		expect(command(["headline", "--trace=t.csv", "--scenario=s.yaml"])).not.toContain("--gpus");
	});
});
