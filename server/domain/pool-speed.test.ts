import { describe, expect, it } from "vitest";
import { defaultSpeeds, poolSpeedsSchema, speedOfPool } from "./pool-speed.ts";

describe("speeds of pools", () => {
	it("accepts numbers and the texts that forms send", () => {
		expect(poolSpeedsSchema.parse({ "gpu-h100x8": 2, "A100-80GB": "0.5" })).toEqual({ "gpu-h100x8": 2, "A100-80GB": 0.5 });
	});

	it.each([0, -1, Number.NaN, 1000, "fast", "", true, null, Number.POSITIVE_INFINITY])("rejects %s and says what is allowed", (speed) => {
		const [issue] = poolSpeedsSchema.safeParse({ gpu: speed }).error?.issues ?? [];
		expect(issue?.path).toEqual(["gpu"]);
		expect(issue?.message).toMatch(/^a number from 0.01 to 100/);
	});

	it("prefers the pool over its accelerator, and defaults to 1", () => {
		const speeds = { fast: 4, h100: 2 };
		const canonical = (name: string): string => (name === "h100" ? "H100-80GB" : name);
		const of = (id: string | null, accelerator: string | null): number => speedOfPool(speeds, { id, accelerator }, canonical);
		expect([of("fast", "H100-80GB"), of("slow", "H100-80GB"), of("slow", "A100-80GB"), of(null, null)]).toEqual([4, 2, 1, 1]);
		expect(speedOfPool(undefined, { id: "fast", accelerator: null })).toBe(1);
	});

	it("returns the names that match no pool", () => {
		const pools = [{ id: "gpu-h100x8", accelerator: "H100-80GB" }];
		expect(defaultSpeeds({ "gpu-h100x8": 2, "H100-80GB": 2, "gpu-h10x8": 3 }, pools)).toEqual(["gpu-h10x8"]);
		expect(defaultSpeeds(undefined, pools)).toEqual([]);
	});
});
