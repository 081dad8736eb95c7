import { describe, expect, it } from "vitest";
import { estimateCap, findReachingDay } from "./cap-what-if.ts";

const M = 1_000_000n;
const facts = {
	postedMicroUsd: 40n * M,
	heldMicroUsd: 10n * M,
	forecast: { lowMicroUsd: 80n * M, expectedMicroUsd: 100n * M, highMicroUsd: 120n * M },
};

describe("estimateCap", () => {
	it("changes nothing when the forecast range fits", () => {
		expect(estimateCap(facts, 120n * M)).toEqual({
			...{ end: facts.forecast, toComeMicroUsd: 60n * M, waitingMicroUsd: 0n, waitingShare: 0, reachedNow: false },
		});
	});

	it("ends at the cap, and the rest of the forecast waits", () => {
		expect(estimateCap(facts, 85n * M)).toEqual({
			end: { lowMicroUsd: 80n * M, expectedMicroUsd: 85n * M, highMicroUsd: 85n * M },
			...{ toComeMicroUsd: 60n * M, waitingMicroUsd: 15n * M, waitingShare: 0.25, reachedNow: false },
		});
	});

	it("keeps what is posted and held when the cap is below it", () => {
		expect(estimateCap(facts, 20n * M)).toMatchObject({
			end: { lowMicroUsd: 50n * M, expectedMicroUsd: 50n * M, highMicroUsd: 50n * M },
			...{ waitingMicroUsd: 50n * M, reachedNow: true },
		});
	});

	it("has no share when no cost is to come", () => {
		const idle = { ...facts, forecast: { lowMicroUsd: 40n * M, expectedMicroUsd: 40n * M, highMicroUsd: 40n * M } };
		expect(estimateCap(idle, 0n)).toMatchObject({ toComeMicroUsd: 0n, waitingMicroUsd: 0n, waitingShare: 0 });
	});
});

describe("findReachingDay", () => {
	it("returns a moment of the first day that ends at the amount or above", () => {
		const ahead = [
			{ atMs: 1_000, expectedMicroUsd: 50n * M },
			{ atMs: 2_000, expectedMicroUsd: 60n * M },
		];
		expect([50n, 51n, 61n].map((usd) => findReachingDay(ahead, usd * M))).toEqual([999, 1_999, null]);
	});
});
