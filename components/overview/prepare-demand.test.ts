import { describe, expect, it } from "vitest";
import { readDemand } from "#components/charts/demand.ts";
import { type Demand, hasDemand, prepareDemandInput } from "./prepare-demand.ts";

const FROM = 1_000_000;
const demand: Demand = {
	fromMs: FROM,
	toMs: FROM + 300,
	ownedGpus: 4,
	places: [
		{ siteId: "local", provider: "local", capacityType: "owned" },
		{ siteId: "aws", provider: "aws", capacityType: "on_demand" },
		{ siteId: "aws", provider: "aws", capacityType: "spot" },
		{ siteId: "gcp", provider: "gcp", capacityType: "spot" },
	],
	points: [
		{ atMs: FROM + 100, wanted: 2, placed: [2, 0, 0, 0], waiting: 0 },
		{ atMs: FROM + 200, wanted: 2, placed: [2, 0, 0, 0], waiting: 0 },
		{ atMs: FROM + 300, wanted: 14, placed: [4, 1, 2, 4], waiting: 3 },
	],
};

describe("prepareDemandInput", () => {
	const input = prepareDemandInput(demand, "This host");

	it("ends at now, without a forecast", () => {
		expect([input.toMs, input.nowMs]).toEqual([demand.toMs, demand.toMs]);
		expect(input.demandForecast).toBeUndefined();
	});

	it("reads the server's current values at now", () => {
		const reading = readDemand(input, input.nowMs);
		expect(reading.wanted).toBe(14);
		expect(reading.rows.map((r) => [r.label, r.value])).toEqual([
			["This host", 4],
			["AWS on-demand", 1],
			["AWS spot", 2],
			["Google spot", 4],
			["Queued", 3],
			["Owned, idle", 0],
		]);
	});

	it("keeps only points where the value changes", () =>
		expect(input.owned.points).toEqual([
			[FROM, 2],
			[FROM + 200, 4],
		]));

	it("alternates hatching between spot areas of two providers", () =>
		expect(input.cloud.map((c) => c.fill)).toEqual(["on_demand", "spot", "spot_alt"]));

	it("detects a range without demand", () => {
		expect(hasDemand(demand)).toBe(true);
		expect(hasDemand({ ...demand, points: demand.points.map((p) => ({ ...p, wanted: 0 })) })).toBe(false);
	});
});
