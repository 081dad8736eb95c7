import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { deferUntil } from "./defer.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, NOON_MS } from "./testing/builders.ts";

const greener = (hours: number): [string, null, RuleEffect] => [
	"wait-for-wind",
	null,
	{ kind: "defer", to: "greener", withinMs: hours * HOUR_MS },
];
const grid = [400, 400, 100, 400, 50, 400, 400, 400];

describe("deferUntil", () => {
	it("finds the start hour with the lowest emissions, and the saving: 2 h from 15:00 sum 450, from 12:00 800; from 13:00 and 14:00 500", () => {
		const given = { nowMs: NOON_MS, hourly: grid, runMs: 2 * HOUR_MS, latestStartMs: NOON_MS + 3 * HOUR_MS };
		expect(deferUntil(given)).toEqual({ untilMs: NOON_MS + 3 * HOUR_MS, saved: 350 });
		expect(deferUntil({ ...given, latestStartMs: NOON_MS + 2.5 * HOUR_MS })).toEqual({ untilMs: NOON_MS + HOUR_MS, saved: 300 });
		expect(deferUntil({ ...given, latestStartMs: NOON_MS + HOUR_MS })).toEqual({ untilMs: NOON_MS + HOUR_MS, saved: 300 });
	});

	it("counts only the remaining part of the current hour, and looks no further than the series", () => {
		const late = { nowMs: NOON_MS + 30 * MINUTE_MS, hourly: grid, runMs: HOUR_MS, latestStartMs: NOON_MS + 99 * HOUR_MS };
		expect(deferUntil(late)).toEqual({ untilMs: NOON_MS + 4 * HOUR_MS, saved: 350 });
		expect(deferUntil({ ...late, runMs: 9 * HOUR_MS })).toBeNull();
	});

	it("waits only if each hour of delay saves its share: 10 % of 800 an hour makes 13:00 (saves 300) better than 15:00 (350)", () => {
		const given = { nowMs: NOON_MS, hourly: grid, runMs: 2 * HOUR_MS, latestStartMs: NOON_MS + 3 * HOUR_MS };
		expect(deferUntil({ ...given, delayShare: 0.1 })).toEqual({ untilMs: NOON_MS + HOUR_MS, saved: 300 });
		expect(deferUntil({ ...given, delayShare: 0.4 })).toBeNull();
	});

	it("takes the earlier of two equal hours, however their sums are rounded", () => {
		for (let n = 1; n < 100; n++) {
			const low = n / 1_000;
			const hourly = [0.4 + low, 0.4 + low, low, low, low, 0.4 + low];
			expect(deferUntil({ nowMs: NOON_MS, hourly, runMs: HOUR_MS, latestStartMs: NOON_MS + 5 * HOUR_MS })?.untilMs).toBe(
				NOON_MS + 2 * HOUR_MS,
			);
		}
	});

	it("averages over likely lengths: 2 h alone makes 15:00 best, and 2 h or 5 h 13:00, which saves 300 or 0", () => {
		const series = [400, 400, 100, 400, 50, 400, 400, 400, 400, 50];
		const given = { nowMs: NOON_MS, hourly: series, runMs: 2 * HOUR_MS, latestStartMs: NOON_MS + 3 * HOUR_MS };
		expect(deferUntil(given)?.untilMs).toBe(NOON_MS + 3 * HOUR_MS);
		expect(deferUntil({ ...given, lengthsMs: [2 * HOUR_MS, 5 * HOUR_MS] })).toEqual({ untilMs: NOON_MS + HOUR_MS, saved: 150 });
	});

	it("never returns a start that is not later, later than allowed, or no better", () => {
		const hourly = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 48 });
		const ms = fc.integer({ min: 1, max: 30 * HOUR_MS });
		fc.assert(
			fc.property(hourly, ms, ms, fc.nat(HOUR_MS), (series, runMs, slackMs, intoHourMs) => {
				const nowMs = NOON_MS + intoHourMs;
				const found = deferUntil({ nowMs, hourly: series, runMs, latestStartMs: nowMs + slackMs });
				if (!found) return;
				expect(found.untilMs).toBeGreaterThan(nowMs);
				expect(found.untilMs).toBeLessThanOrEqual(nowMs + slackMs);
				expect(found.saved).toBeGreaterThan(0);
			}),
		);
	});
});

describe("a rule that defers", () => {
	const gridForecast = new Map([
		["home-a", grid],
		["aws:us-east-1", grid],
	]);
	const at = (job = aJob("a"), hours = 5, given = {}) =>
		decide(aSnapshot({ policy: aPolicy({ rules: [greener(hours)] }), gridForecast, pending: [job.build()], ...given }));

	it("starts at home immediately when only cloud starts are deferred", () => {
		const rules: [string, null, RuleEffect][] = [
			["cloud-only", null, { kind: "defer", to: "greener", withinMs: 5 * HOUR_MS, at: "cloud" }],
		];
		expect(at(aJob("a"), 5, { policy: aPolicy({ rules }) }).actions).toMatchObject([{ kind: "place_home" }]);
	});

	it("defers a start at home, reports until when and the saving, and keeps no slots", () => {
		const plan = at(aJob("a").gpus(4), 5, { pending: [aJob("a").gpus(4).waited(1).build(), aJob("b").max(1).build()] });
		// 4 × 150 W × PUE 1.5 = 0.9 kW; an hour at 400 − 50 g/kWh
		expect(plan.waiting.get("job_a")).toMatchObject({
			code: "deferred_greener_hour",
			facts: { untilMs: NOON_MS + 4 * HOUR_MS, savedGrams: 315, ruleId: "wait-for-wind" },
		});
		expect(plan.forecasts.get("job_a")?.p50Ms).toBe(NOON_MS + 4 * HOUR_MS);
		expect(plan.actions).toEqual([]);
		expect(plan.waiting.get("job_b")?.code).toBe("deferred_greener_hour");
	});

	it("leaves its slots to others", () => {
		const rules = aPolicy({ rules: [["wait-for-wind", 'job.name == "a"', greener(5)[2]]] });
		const pending = [aJob("a").gpus(4).waited(1).build(), aJob("b").gpus(4).build()];
		expect(at(undefined, 5, { policy: rules, pending }).actions).toMatchObject([{ kind: "place_home", jobId: "job_b" }]);
	});

	it("keeps within its limit from the job's arrival, and within the slack of a deadline", () => {
		expect(at(aJob("a"), 2).waiting.get("job_a")?.facts["untilMs"]).toBe(NOON_MS + 2 * HOUR_MS);
		expect(at(aJob("a").waited(2 * HOUR_MS), 2).actions).toMatchObject([{ kind: "place_home" }]);
		// a P90 run of 1.5 h and 2 min to start must fit before the deadline
		const putOffBefore = (ms: number) => at(aJob("a").deadline(NOON_MS + ms)).waiting.get("job_a")?.facts["untilMs"];
		expect(putOffBefore(5.5 * HOUR_MS + 2 * MINUTE_MS)).toBe(NOON_MS + 4 * HOUR_MS);
		expect(putOffBefore(5.5 * HOUR_MS + 2 * MINUTE_MS - 1)).toBe(NOON_MS + 2 * HOUR_MS);
		expect(putOffBefore(1.5 * HOUR_MS)).toBeUndefined();
	});

	it("does nothing without a forecast", () => {
		expect(at(aJob("a"), 5, { gridForecast: new Map() }).actions).toMatchObject([{ kind: "place_home" }]);
	});

	it("defers a launch to a cheaper hour where prices are forecast", () => {
		const offer = anOffer({ usd: "1" });
		const policy = aPolicy({
			rules: [
				["leave", null, burstRule({ always: true })],
				["cheap-hours", null, { kind: "defer", to: "cheaper", withinMs: 6 * HOUR_MS }],
			],
		});
		const given = { policy, offers: [offer], pools: [aPool({ freeSlots: [] })] };
		const priceForecast = new Map([[offer.id, [1e6, 1e6, 0.7e6, 1e6]]]);
		expect(at(aJob("a"), 5, { ...given, priceForecast }).waiting.get("job_a")).toMatchObject({
			code: "deferred_cheaper_hour",
			facts: { untilMs: NOON_MS + 2 * HOUR_MS, savingMicroUsd: "300000" },
		});
		expect(at(aJob("a"), 5, given).actions).toMatchObject([{ kind: "launch" }]);
	});
});
