import { expect, it } from "vitest";
import { whatIfScale } from "./what-if-scale.ts";

it("gives about 200 round steps that reach twice the cap and the forecast", () => {
	expect(whatIfScale({ capUsd: 120_000, highUsd: 150_000 })).toEqual({ max: 240_000, step: 2_000 });
	expect(whatIfScale({ capUsd: 500, highUsd: 2_000 })).toEqual({ max: 2_500, step: 20 });
	expect(whatIfScale({ capUsd: 0, highUsd: 0 })).toEqual({ max: 1, step: 0.01 });
});
