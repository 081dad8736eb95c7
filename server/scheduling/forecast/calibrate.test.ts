import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { scaled } from "../home.ts";
import type { ForecastScale } from "../types.ts";
import { HORIZONS_MS, horizonOf, learnScale, quantileOfCensored, type ScoredForecast } from "./calibrate.ts";
import { ScoreBook } from "./score-book.ts";

/**
 * Waits with a replayed median that is off by `bias` and by chance. A job arrives every ten minutes; its outcome is known when it starts.
 */
function coverageOf(bias: (i: number) => number, seed: string): { p50: number; p90: number } {
	const random = seededRandom(seed);
	const book = new ScoreBook();
	const open: { jobId: string; startMs: number }[] = [];
	const scored: { p50: boolean; p90: boolean }[] = [];
	let scale: ForecastScale | undefined;
	for (let i = 0; i < 4_000; i++) {
		const nowMs = i * 10 * MINUTE_MS;
		for (const job of open.filter((o) => o.startMs <= nowMs)) {
			book.started(job.jobId, job.startMs);
			open.splice(open.indexOf(job), 1);
		}
		if (i % 20 === 0) scale = book.scale(nowMs);
		const replayMs = HOUR_MS * (1 + random.next());
		const waitMs = replayMs * bias(i) * Math.exp(2 * (random.next() + random.next() - 1));
		const replay = { p50Ms: nowMs + replayMs, p90Ms: nowMs + 3 * replayMs };
		const forecast = scaled(replay, nowMs, scale);
		book.give(new Map([[`job_${i}`, replay]]), () => forecast, nowMs);
		open.push({ jobId: `job_${i}`, startMs: nowMs + waitMs });
		if (i >= 2_000) scored.push({ p50: nowMs + waitMs <= forecast.p50Ms, p90: nowMs + waitMs <= forecast.p90Ms });
	}
	const share = (of: "p50" | "p90"): number => scored.filter((s) => s[of]).length / scored.length;
	return { p50: share("p50"), p90: share("p90") };
}

describe("the correction of forecasts", () => {
	it.each([
		["five times too short", () => 5],
		["five times too long", () => 0.2],
		["right", () => 1],
		["drifting from half to four times as long", (i: number) => 0.5 * 8 ** (i / 4_000)],
	])("makes forecasts hold as often as promised when the replay is %s", (name, bias) => {
		const { p50, p90 } = coverageOf(bias, name);
		expect(p50).toBeGreaterThan(0.45);
		expect(p50).toBeLessThan(0.55);
		expect(p90).toBeGreaterThan(0.85);
		expect(p90).toBeLessThan(0.95);
	});

	it("changes nothing without outcomes, and little after one", () => {
		const none = learnScale(HORIZONS_MS.map(() => []));
		for (const step of none.steps) expect([step.p50, step.p90]).toEqual([1, 1]);
		const one = HORIZONS_MS.map((_, i) => (i === 4 ? [outcome(HOUR_MS, 10 * HOUR_MS)] : []));
		expect(learnScale(one).steps[4]?.p50).toBeLessThan(1.5);
	});

	it("learns the late quantile from pending jobs, once they have waited a good part of their forecast", () => {
		const waiting = (leftMs: number): ScoredForecast[] =>
			Array.from({ length: 60 }, (_, i) => ({ ...openFor(10 * HOUR_MS, leftMs), atMs: i * HOUR_MS, forecastP90Ms: 1_000 * HOUR_MS }));
		const scaleOf = (leftMs: number) => learnScale(HORIZONS_MS.map((_, i) => (i === 4 ? waiting(leftMs) : []))).steps[4]?.p90;
		// The replay's P90 was 2 h, and 11 h will have passed; there is too little data about 90 h more.
		expect(scaleOf(HOUR_MS)).toBeGreaterThan(2);
		expect(scaleOf(90 * HOUR_MS)).toBe(1);
	});

	it("goes no further than a factor of e (P90: e²) on outcomes of forecasts made before it moved", () => {
		// The replay was right throughout; the forecasts were not, and the outcomes of a long queue become known.
		const scaleOf = (forecast: number) => {
			const wrong = { forecastP50Ms: forecast * HOUR_MS, forecastP90Ms: forecast * 2 * HOUR_MS };
			const queue = Array.from({ length: 400 }, (_, i) => ({
				...outcome(HOUR_MS, HOUR_MS),
				...wrong,
				replayP90Ms: HOUR_MS,
				atMs: i * MINUTE_MS,
			}));
			return learnScale(HORIZONS_MS.map((_, i) => (i === 4 ? queue : []))).steps[4];
		};
		expect(scaleOf(0.01)?.p50).toBeCloseTo(Math.E, 6);
		expect(scaleOf(0.01)?.p90).toBeCloseTo(Math.E ** 2, 6);
		expect(scaleOf(100)?.p50).toBeCloseTo(1 / Math.E, 6);
		expect(scaleOf(100)?.p90).toBeLessThan(1);
	});

	it("keeps its factor above 0 and below 1,000 for any outcomes", () => {
		const any = fc.record({
			atMs: fc.integer({ min: 0, max: 1e12 }),
			replayP50Ms: fc.integer({ min: 0, max: 1e11 }),
			replayP90Ms: fc.integer({ min: 0, max: 1e11 }),
			forecastP50Ms: fc.integer({ min: 0, max: 1e11 }),
			forecastP90Ms: fc.integer({ min: 0, max: 1e11 }),
			waitMs: fc.integer({ min: 0, max: 1e11 }),
			known: fc.boolean(),
			leftMs: fc.option(fc.integer({ min: 0, max: 1e11 })),
		});
		fc.assert(
			fc.property(fc.array(fc.array(any, { maxLength: 30 }), { minLength: HORIZONS_MS.length, maxLength: HORIZONS_MS.length }), (lists) => {
				for (const { p50, p90 } of learnScale(lists).steps) {
					for (const factor of [p50, p90]) {
						expect(factor).toBeGreaterThanOrEqual(0.001 - 1e-9);
						expect(factor).toBeLessThanOrEqual(1_000 + 1e-6);
					}
				}
			}),
			{ numRuns: 50 },
		);
	});

	it("finds the horizon of a wait by its end", () => {
		expect([MINUTE_MS, MINUTE_MS + 1, 1_000 * HOUR_MS].map(horizonOf)).toEqual([0, 1, HORIZONS_MS.length - 1]);
	});
});

describe("a quantile of values, some known only by a lower bound", () => {
	const known = (...values: number[]) => values.map((at) => ({ at, known: true }));
	it("equals the plain quantile when all are known", () => {
		expect(quantileOfCensored(known(4, 1, 3, 2), 0.5)).toEqual({ value: 2, reached: true });
	});
	it("passes the weight of an open value to the later ones", () => {
		// 1 | 2+ | 3 | 4: after 1 three quarters remain; of the two left at 3 one half: 3/8 remain then.
		expect(quantileOfCensored([...known(1, 3, 4), { at: 2, known: false }], 0.5)).toEqual({ value: 3, reached: true });
	});
	it("reports when it lies beyond all known values", () => {
		expect(quantileOfCensored([...known(1), { at: 5, known: false }, { at: 6, known: false }], 0.9)).toEqual({ value: 1, reached: false });
		expect(quantileOfCensored([{ at: 5, known: false }], 0.5)).toBeNull();
	});
});

function openFor(waitMs: number, leftMs: number): ScoredForecast {
	return { ...outcome(HOUR_MS, waitMs), known: false, leftMs };
}

function outcome(replayMs: number, waitMs: number): ScoredForecast {
	const forecast = { forecastP50Ms: replayMs, forecastP90Ms: 2 * replayMs };
	return { atMs: 0, replayP50Ms: replayMs, replayP90Ms: 2 * replayMs, ...forecast, waitMs, known: true, leftMs: null };
}
