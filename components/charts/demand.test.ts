import { describe, expect, it } from "vitest";
import { type DemandInput, prepareDemand, readDemand, tabulateDemand } from "./demand.ts";

const NOW = Date.UTC(2026, 10, 19, 14, 32);
const HOUR = 3_600_000;
const BOX = { width: 1000, height: 352 };

const input = (more: Partial<DemandInput> = {}): DemandInput => ({
	fromMs: NOW - 24 * HOUR,
	nowMs: NOW,
	toMs: NOW + 6 * HOUR,
	ownedGpus: 64,
	owned: {
		id: "hall-b",
		label: "hall-b",
		fill: "owned",
		points: [
			[NOW - 24 * HOUR, 60],
			[NOW - HOUR, 61],
		],
		forecast: [
			[NOW, 61],
			[NOW + 6 * HOUR, 62],
		],
	},
	cloud: [
		{
			id: "aws-spot",
			label: "AWS spot",
			fill: "spot",
			points: [
				[NOW - 24 * HOUR, 8],
				[NOW - 2 * HOUR, 16],
			],
			forecast: [
				[NOW, 16],
				[NOW + 6 * HOUR, 16],
			],
		},
		{ id: "aws-od", label: "AWS on-demand", fill: "on_demand", points: [[NOW - 24 * HOUR, 0]] },
	],
	waiting: [
		[NOW - 24 * HOUR, 34],
		[NOW - 0.2 * HOUR, 58],
	],
	demandForecast: [
		{ atMs: NOW, low: 135, middle: 135, high: 135 },
		{ atMs: NOW + 6 * HOUR, low: 73, middle: 96, high: 136 },
	],
	...more,
});

describe("readDemand", () => {
	it("reads now, and its parts add up to what is wanted", () => {
		const now = readDemand(input(), NOW);
		expect(now.when).toBe("Now, 14:32");
		expect(now.wanted).toBe(61 + 16 + 58);
		const byId = Object.fromEntries(now.rows.map((row) => [row.id, row.value]));
		expect(byId).toEqual({ "hall-b": 61, "aws-spot": 16, waiting: 58, idle: 3 });
	});

	it("leaves out a place that was never used", () => expect(readDemand(input(), NOW).rows.map((r) => r.id)).not.toContain("aws-od"));

	it("says that the future is a forecast", () => {
		const later = readDemand(input(), NOW + 3 * HOUR);
		expect(later.when).toBe("17:32, forecast");
		expect(later.estimate).toBe(true);
		expect(later.wanted).toBeCloseTo(115.5);
	});

	it("names the day when it is another one", () => expect(readDemand(input(), NOW - 20 * HOUR).when).toBe("Wed 18 Nov, 18:32"));

	it("knows nothing of a time that was not measured", () => {
		const gap = input({
			owned: {
				...input().owned,
				points: [
					[NOW - 24 * HOUR, 60],
					[NOW - 8 * HOUR, null],
					[NOW - 4 * HOUR, 50],
				],
			},
		});
		expect(readDemand(gap, NOW - 6 * HOUR).wanted).toBeNull();
		expect(readDemand(gap, NOW - 6 * HOUR).rows).toEqual([]);
	});
});

describe("prepareDemand", () => {
	it("starts the axis again above the owned line", () => {
		const labels = prepareDemand(input(), BOX).yTicks.map((t) => t.label);
		expect(labels.slice(0, 3)).toEqual(["0", "32", "64"]);
		expect(labels.slice(3)).toEqual(["+32", "+64"]);
	});

	it("works for a site of four slots", () => {
		const small = input({
			ownedGpus: 4,
			owned: { id: "local", label: "local", fill: "owned", points: [[NOW - 24 * HOUR, 4]] },
			cloud: [],
			waiting: [[NOW - 24 * HOUR, 2]],
			demandForecast: [],
		});
		expect(prepareDemand(small, BOX).yTicks.map((t) => t.label)).toEqual(["0", "2", "4", "+1", "+2"]);
	});

	it("names the owned area only where there is owned work to write on", () => {
		const none = input({ owned: { ...input().owned, points: [[NOW - 24 * HOUR, 0]] } });
		expect(prepareDemand(none, BOX).ownedLabelX).toBeNull();
		expect(prepareDemand(input(), BOX).ownedLabelX).toBe(46);
	});

	it("leaves a gap where nothing was measured", () => {
		const gap = input({
			owned: {
				...input().owned,
				points: [
					[NOW - 24 * HOUR, 60],
					[NOW - 8 * HOUR, null],
					[NOW - 4 * HOUR, 50],
				],
			},
		});
		const owned = prepareDemand(gap, BOX).layers.find((l) => l.id === "hall-b");
		expect(owned?.d.match(/M/g)).toHaveLength(2);
	});

	it("draws no forecast without one", () => {
		const { demandForecast: _, ...rest } = input({ toMs: NOW });
		const picture = prepareDemand({ ...rest, owned: { ...rest.owned, forecast: [] }, cloud: [] }, BOX);
		expect(picture.layers.every((l) => !l.forecast)).toBe(true);
		expect(picture.forecastBand).toBe("");
	});

	it("draws something when there is nothing at all", () => {
		const empty = prepareDemand(
			input({ ownedGpus: 0, owned: { id: "o", label: "o", fill: "owned", points: [] }, cloud: [], waiting: [], demandForecast: [] }),
			BOX,
		);
		expect(JSON.stringify(empty)).not.toMatch(/NaN|Infinity/);
	});

	it("turns a place on the picture back into its time", () => {
		const picture = prepareDemand(input(), BOX);
		expect(picture.timeOfX(picture.xOfTime(NOW))).toBeCloseTo(NOW, -1);
		expect(picture.timeOfX(-50)).toBe(NOW - 24 * HOUR);
	});
});

describe("tabulateDemand", () => {
	it("is a table of at most that many rows, in order, with now among them", () => {
		const rows = tabulateDemand(input(), 12);
		expect(rows.length).toBeLessThanOrEqual(14);
		expect(rows.map((r) => r.when)).toContain("Now, 14:32");
	});
});
