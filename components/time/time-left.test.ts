import { expect, it } from "vitest";
import { timeLeft } from "./time-left.ts";

it.each([
	[0.5, 90_000, "about 2m left"],
	[0.5, 30_000, "about 30s left"],
	[0.1, 1_000, "about 9s left"],
	[1, 5_000, "about 0s left"],
	[0, 5_000, null],
])("after %d of the work in %d ms: %s", (share, tookMs, text) => {
	expect(timeLeft(share, tookMs)).toBe(text);
});
