import { describe, expect, it } from "vitest";
import type { VariancePart } from "./variance.ts";
import { describeVariance } from "./variance-sentence.ts";

const HOUR = 3_600_000n;
const part = (some: Partial<VariancePart>): VariancePart => ({
	...{ cause: "hours", team: "research", project: "small-lm", microUsd: 9_000_000n, beforeGpuMs: 10n * HOUR, afterGpuMs: 21n * HOUR },
	...some,
});
const say = (some: Partial<VariancePart>, beforeMicroUsd = 0n) => describeVariance({ parts: [part(some)], beforeMicroUsd });

describe("describeVariance", () => {
	it.each([
		[{}, "small-lm used 2.1 times the GPU-hours (10 to 21 h)."],
		[{ afterGpuMs: 5n * HOUR, microUsd: -5n }, "small-lm used fewer GPU-hours (10 to 5 h)."],
		[{ cause: "started", beforeGpuMs: 0n }, "small-lm is new: 21 GPU-hours."],
		[{ cause: "price", microUsd: -1n }, "Prices of small-lm fell."],
		[{ cause: "idle", beforeGpuMs: HOUR / 2n, afterGpuMs: 4n * HOUR, team: "", project: "" }, "Owned GPUs were idle longer (0.5 to 4 h)."],
		[{ cause: "idle", beforeGpuMs: 1n, afterGpuMs: 2n, team: "", project: "" }, "Owned GPUs were idle longer."],
		[{ cause: "idle", team: "", project: "" }, "Owned GPUs were idle longer (10 to 21 h)."],
	] as const)("%o", (some, sentence) => expect(say(some)).toBe(sentence));

	it("says nothing of less than half a percent", () => {
		expect(say({}, 10_000_000_000n)).toBeNull();
		expect(describeVariance({ parts: [], beforeMicroUsd: 1n })).toBeNull();
	});
});
