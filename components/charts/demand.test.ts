import { describe, expect, it } from "vitest";
import {
	type DemandInput,
	demandEndLabels,
	demandRows,
	demandTicks,
	ownedLabelSpan,
	readDemand,
	tabulateDemand,
	zoomDemand,
} from "./demand.ts";

const NOW = Date.UTC(2026, 10, 19, 14, 32);
const HOUR = 3_600_000;

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
	it("reads the current values; parts add up to the demand", () => {
		const now = readDemand(input(), NOW);
		expect(now.when).toBe("Now, 14:32");
		expect(now.wanted).toBe(61 + 16 + 58);
		const byId = Object.fromEntries(now.rows.map((row) => [row.id, row.value]));
		expect(byId).toEqual({ "hall-b": 61, "aws-spot": 16, waiting: 58, idle: 3 });
	});

	it("omits locations that were never used", () => expect(readDemand(input(), NOW).rows.map((r) => r.id)).not.toContain("aws-od"));

	it("marks future values as forecast", () => {
		const later = readDemand(input(), NOW + 3 * HOUR);
		expect(later.when).toBe("17:32, forecast");
		expect(later.estimate).toBe(true);
		expect(later.wanted).toBeCloseTo(115.5);
	});

	it("shows the date if it is not today", () => expect(readDemand(input(), NOW - 20 * HOUR).when).toBe("Wed 18 Nov, 18:32"));

	it("reports no data for unmeasured times", () => {
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

const ticksOf = (of: DemandInput) => demandTicks(of, demandRows(of)).ticks;
const withGap = () =>
	input({
		owned: {
			...input().owned,
			points: [
				[NOW - 24 * HOUR, 60],
				[NOW - 8 * HOUR, null],
				[NOW - 4 * HOUR, 50],
			],
		},
	});

describe("demandRows", () => {
	it("stacks owned and idle up to the capacity, then clouds and queued jobs", () => {
		const now = demandRows(input()).find((row) => row.atMs === NOW);
		expect(now?.measured).toEqual({ "hall-b": 61, idle: 3, "aws-spot": 16, "aws-od": 0, waiting: 58 });
		expect(now?.wanted).toBe(64 + 16 + 58);
		expect(now?.forecast).toMatchObject({ "hall-b": 61, pad: 3, "aws-spot": 16 });
		expect(now?.band).toEqual([135, 135]);
	});

	it("leaves a gap where there is no data, and extends the last step to it", () => {
		const around = demandRows(withGap()).filter((row) => row.atMs === NOW - 8 * HOUR);
		expect(around.map((row) => row.measured?.["hall-b"])).toEqual([60, undefined]);
	});

	it("has no forecast without one", () => {
		const { demandForecast: _, ...rest } = input({ toMs: NOW });
		const rows = demandRows({ ...rest, owned: { ...rest.owned, forecast: [] }, cloud: [] });
		expect(rows.every((row) => row.forecast === undefined && row.band === undefined)).toBe(true);
	});
});

describe("zoomDemand", () => {
	const [fromMs, toMs] = [NOW - 6 * HOUR, NOW - 3 * HOUR];

	it("draws the selected part only, up to its edges", () => {
		const part = zoomDemand(input(), { fromMs, toMs });
		const rows = demandRows(part);
		expect([rows[0]?.atMs, rows.at(-1)?.atMs]).toEqual([fromMs, toMs]);
		expect(rows.some((row) => row.forecast || row.middle !== undefined)).toBe(false);
		expect(tabulateDemand(part).every(({ atMs }) => atMs >= fromMs && atMs <= toMs)).toBe(true);
		expect(demandEndLabels(part).map(({ id, value }) => [id, value])).toEqual([
			["hall-b", 30],
			["aws-spot", 68],
		]);
	});

	it("keeps the forecast of a part that reaches into it", () =>
		expect(demandRows(zoomDemand(input(), { fromMs, toMs: NOW + HOUR })).at(-1)).toMatchObject({ atMs: NOW + HOUR, forecast: {} }));

	it("shows the whole range without a part, and for one that is outside, reversed or too short", () => {
		const whole = input();
		const parts = [null, { fromMs: 0, toMs: 1 }, { fromMs: toMs, toMs: fromMs }, { fromMs, toMs: fromMs + 1 }];
		for (const part of parts) expect(zoomDemand(whole, part)).toBe(whole);
	});
});

describe("demandTicks", () => {
	it("restart above the capacity in powers of two", () => expect(ticksOf(input())).toEqual([0, 32, 64, 96, 128]));

	it("handle a site with four slots and an empty one", () => {
		const owned = { id: "local", label: "local", fill: "owned" as const, points: [[NOW - 24 * HOUR, 4] as const] };
		const small = input({ ownedGpus: 4, owned, cloud: [], waiting: [[NOW - 24 * HOUR, 2]], demandForecast: [] });
		expect(ticksOf(small)).toEqual([0, 2, 4, 5, 6]);
		const empty = input({ ownedGpus: 0, owned: { ...owned, points: [] }, cloud: [], waiting: [], demandForecast: [] });
		expect(demandTicks(empty, demandRows(empty))).toEqual({ ticks: [0], top: 1 });
	});
});

describe("labels", () => {
	it("name the owned area only where it is high for long enough", () => {
		expect(ownedLabelSpan(input(), demandRows(input()))).toEqual({ fromMs: NOW - 24 * HOUR, toMs: NOW });
		const none = input({ owned: { ...input().owned, points: [[NOW - 24 * HOUR, 0]] } });
		expect(ownedLabelSpan(none, demandRows(none))).toBeNull();
	});

	it("at the right edge follow the stack and omit unused clouds", () => {
		expect(demandEndLabels(input()).map(({ id, value }) => [id, value])).toEqual([
			["hall-b", 31],
			["aws-spot", 72],
			["wanted", 96],
			["high", 136],
		]);
	});
});

describe("tabulateDemand", () => {
	it("has at most that many rows, in order, including now", () => {
		const rows = tabulateDemand(input(), 12);
		expect(rows.length).toBeLessThanOrEqual(14);
		expect(rows.map((r) => r.when)).toContain("Now, 14:32");
	});
});
