import { describe, expect, it } from "vitest";
import type { VariancePart } from "./variance.ts";
import { describeCarbonVariance, describeVariance } from "./variance-sentence.ts";

const HOUR = 3_600_000n;
const part = (some: Partial<VariancePart>): VariancePart => ({
	...{ cause: "hours", team: "research", project: "small-lm", amount: 9_000_000n, beforeGpuMs: 10n * HOUR, afterGpuMs: 21n * HOUR },
	...some,
});
const say = (some: Partial<VariancePart>, beforeAmount = 0n) => describeVariance({ parts: [part(some)], beforeAmount });

describe("describeVariance", () => {
	it.each([
		[{}, "small-lm used 2.1 times the GPU-hours (10 to 21 h)."],
		[{ afterGpuMs: 5n * HOUR, amount: -5n }, "small-lm used fewer GPU-hours (10 to 5 h)."],
		[{ cause: "started", beforeGpuMs: 0n }, "small-lm is new: 21 GPU-hours."],
		[{ cause: "price", amount: -1n }, "Prices of small-lm fell."],
		[{ cause: "idle", beforeGpuMs: HOUR / 2n, afterGpuMs: 4n * HOUR, team: "", project: "" }, "Owned GPUs were idle longer (0.5 to 4 h)."],
		[{ cause: "idle", beforeGpuMs: 1n, afterGpuMs: 2n, team: "", project: "" }, "Owned GPUs were idle longer."],
		[{ cause: "idle", team: "", project: "" }, "Owned GPUs were idle longer (10 to 21 h)."],
	] as const)("%o", (some, sentence) => expect(say(some)).toBe(sentence));

	it.each([
		["grid", -9n, "The electricity of small-lm was cleaner."],
		["power", 9n, "GPUs of small-lm drew more power per hour."],
		["place", -9n, "small-lm ran in cleaner regions or on other models."],
		["embodied", 9n, "Embodied emissions per GPU-hour of small-lm rose."],
		["started", 9n, "small-lm is new: 21 GPU-hours."],
	] as const)("of emissions: %s", (cause, amount, sentence) =>
		expect(describeCarbonVariance({ parts: [{ ...part({}), cause, amount }], beforeAmount: 0n })).toBe(sentence),
	);

	it("omits changes below half a percent", () => {
		expect(say({}, 10_000_000_000n)).toBeNull();
		expect(describeVariance({ parts: [], beforeAmount: 1n })).toBeNull();
	});
});
