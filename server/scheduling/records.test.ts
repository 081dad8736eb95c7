import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { LIMITS } from "./limits.ts";
import { decayed, emptyRecord, ratesOf, reworkOf, withHours, withInterruption, withLaunch, withRefusal } from "./records.ts";
import { NOON_MS } from "./testing/builders.ts";

const spotRate = (record: Parameters<typeof ratesOf>[1]) => ratesOf("spot", record, NOON_MS).interruptionsPerHour;

describe("records of offers", () => {
	it("start from the prior: spot one in ten hours, other capacity never", () => {
		expect(spotRate(undefined)).toBe(0.1);
		expect(spotRate(emptyRecord(NOON_MS))).toBe(0.1);
		expect(ratesOf("on_demand", undefined, NOON_MS)).toEqual({ interruptionsPerHour: 0, refusalDelayMs: 0 });
	});

	it("combine observations with the prior: 4 interruptions in 30 hours and the prior's 1 in 10 make 5 in 40", () => {
		let record = withHours(emptyRecord(NOON_MS), 30, NOON_MS);
		for (let i = 0; i < 4; i++) record = withInterruption(record, NOON_MS);
		expect(spotRate(record)).toBeCloseTo(5 / 40, 12);
	});

	it("share interruptions with other sizes in the same place: 3 in 20 hours and 1 in 10 with the prior make 5 in 40", () => {
		const of = (interruptions: number, instanceHours: number) => ({ ...emptyRecord(NOON_MS), interruptions, instanceHours });
		const rate = (record: Parameters<typeof ratesOf>[1], likes: Parameters<typeof ratesOf>[3]) =>
			ratesOf("spot", record, NOON_MS, likes).interruptionsPerHour;
		expect(rate(of(3, 20), [of(1, 10)])).toBeCloseTo(5 / 40, 12);
		expect(rate(undefined, [of(3, 20), of(1, 10)])).toBeCloseTo(5 / 40, 12);
		expect(ratesOf("on_demand", undefined, NOON_MS, [of(0, 20)]).interruptionsPerHour).toBe(0);
	});

	it("use the refusals of other sizes as a prior that counts as one launch", () => {
		const seen = (launches: number, refusals: number) => ({ ...emptyRecord(NOON_MS), launches, refusals });
		const refused = (record: Parameters<typeof ratesOf>[1], like: ReturnType<typeof seen>) =>
			ratesOf("spot", record, NOON_MS, [like]).refusalDelayMs / LIMITS.refusedLaunchMs;
		expect(refused(undefined, seen(1, 4))).toBe(2);
		expect(refused(seen(3, 0), seen(1, 4))).toBe(0.5);
		expect(refused(seen(0, 1), seen(1, 4))).toBe(3);
	});

	it("halve with their half-lives, in one step or in many", () => {
		const record = { atMs: NOON_MS, instanceHours: 8, interruptions: 4, refusals: 4, launches: 2 };
		const later = NOON_MS + LIMITS.refusalHalfLifeMs;
		expect(decayed(record, later).refusals).toBe(2);
		expect(decayed(record, NOON_MS + LIMITS.interruptionHalfLifeMs)).toMatchObject({ instanceHours: 4, interruptions: 2 });
		const inSteps = decayed(decayed(record, NOON_MS + 3 * MINUTE_MS), later);
		expect(inSteps.refusals).toBeCloseTo(2, 12);
		expect(decayed(record, NOON_MS - HOUR_MS)).toBe(record);
	});

	it("make a refusing offer take longer to get, never impossible, and recover", () => {
		const once = withRefusal(emptyRecord(NOON_MS), NOON_MS);
		const twice = { ...once, refusals: 2 };
		const delay = (record: typeof once, atMs: number) => ratesOf("spot", record, atMs).refusalDelayMs;
		// p = 1/2, one more try; p = 1/3, two more tries
		expect(delay(once, NOON_MS)).toBe(LIMITS.refusedLaunchMs);
		expect(delay(twice, NOON_MS)).toBe(2 * LIMITS.refusedLaunchMs);
		expect(delay(once, NOON_MS + LIMITS.refusalHalfLifeMs)).toBeCloseTo(LIMITS.refusedLaunchMs / 2, 6);
		expect(delay(withLaunch(twice, NOON_MS), NOON_MS)).toBe(LIMITS.refusedLaunchMs);
	});

	it("pause between two calls: doubling with each refusal that still counts, up to the longest, and ended by a launch", () => {
		let record = emptyRecord(NOON_MS);
		const pauses: number[] = [];
		for (let i = 0; i < 8; i++) {
			const askedMs: number = record.backoffUntilMs ?? NOON_MS;
			record = withRefusal({ ...record, atMs: askedMs }, askedMs);
			pauses.push((record.backoffUntilMs ?? 0) - askedMs);
		}
		expect(pauses.slice(0, 3)).toEqual([LIMITS.refusalPauseMs, 2 * LIMITS.refusalPauseMs, 4 * LIMITS.refusalPauseMs]);
		expect(pauses.at(-1)).toBe(LIMITS.refusalPauseMaxMs);
		expect(withLaunch(record, NOON_MS).backoffUntilMs).toBeUndefined();
	});

	it("learn about a shortage once, however many calls meet it: an interruption, then refusals of pending calls", () => {
		const taken = withInterruption(withInterruption(emptyRecord(NOON_MS), NOON_MS), NOON_MS);
		expect(taken).toMatchObject({ interruptions: 2, refusals: 1, backoffUntilMs: NOON_MS + LIMITS.refusalPauseMs });
		expect(withRefusal(taken, NOON_MS)).toEqual(taken);
	});
});

describe("what launches show about how long spot stays available and unavailable", () => {
	it("is learned only for spot", () => {
		expect(withInterruption(withLaunch(emptyRecord(NOON_MS), NOON_MS), NOON_MS + HOUR_MS).zone).toBeUndefined();
	});

	it("is up while one of our machines runs, however long there is no request; once reclaimed it is unavailable until a launch comes up", () => {
		let record = withLaunch(emptyRecord(NOON_MS, true), NOON_MS);
		record = withInterruption(withHours(record, 3, NOON_MS + 3 * HOUR_MS), NOON_MS + 3 * HOUR_MS);
		expect(record.zone).toMatchObject({ up: false, sinceMs: NOON_MS + 3 * HOUR_MS });
		expect(record.zone?.upHours.reduce((a, b) => a + b, 0)).toBeCloseTo(3, 1);
		// Another running machine is no evidence that one is available now.
		record = withHours(record, 1, NOON_MS + 3 * HOUR_MS + 5 * MINUTE_MS);
		expect(record.zone?.up).toBe(false);
		record = withLaunch(record, NOON_MS + 3 * HOUR_MS + 30 * MINUTE_MS);
		expect(record.zone).toMatchObject({ up: true, sinceMs: NOON_MS + 3 * HOUR_MS + 30 * MINUTE_MS });
		expect(record.zone?.downEnds.map(Math.round)).toEqual([0, 0, 1, 0, 0, 0, 0, 0]);
	});

	it("is also observed by a refusal in a pause, but not by one for the account's quota", () => {
		const refused = withRefusal(emptyRecord(NOON_MS, true), NOON_MS);
		expect(withRefusal(refused, NOON_MS + 30_000)).toMatchObject({
			refusals: refused.refusals * 0.5 ** (1 / 20),
			zone: { atMs: NOON_MS + 30_000 },
		});
		expect(withRefusal(emptyRecord(NOON_MS, true), NOON_MS, "quota").zone).toBeNull();
	});
});

describe("expected rework", () => {
	const hour = {
		workMs: 10 * HOUR_MS,
		instances: 1,
		interruptionsPerHour: 0.1,
		checkpointEveryMs: 15 * MINUTE_MS,
		changeoverMs: 7 * MINUTE_MS,
	};

	it("is half a checkpoint interval and a changeover per interruption: 0.1/h × 14.5 min lose 1/41.4 of the time", () => {
		const lost = (0.1 * 14.5) / 60;
		expect(reworkOf(hour).extraMs).toBeCloseTo((10 * HOUR_MS * lost) / (1 - lost), 3);
		expect(reworkOf({ ...hour, instances: 4 }).extraMs).toBeGreaterThan(4 * reworkOf(hour).extraMs);
		expect(reworkOf({ ...hour, interruptionsPerHour: 0 })).toEqual({ extraMs: 0, interruptions: 0 });
	});

	it("is the exponential form of a whole restart without checkpoints: 10 h at 0.1/h take (e − 1) × 10 h and e − 1 changeovers", () => {
		const { extraMs, interruptions } = reworkOf({ ...hour, checkpointEveryMs: null });
		expect(interruptions).toBeCloseTo(Math.E - 1, 12);
		expect(extraMs).toBeCloseTo((Math.E - 2) * 10 * HOUR_MS + (Math.E - 1) * 7 * MINUTE_MS, 3);
	});

	it("never falls with more frequent interruptions, more machines, or more work", () => {
		const rate = fc.double({ min: 0, max: 50, noNaN: true });
		const work = fc.integer({ min: 1, max: 1000 * HOUR_MS });
		fc.assert(
			fc.property(
				rate,
				rate,
				work,
				fc.integer({ min: 1, max: 64 }),
				fc.option(fc.integer({ min: 1, max: 10 * HOUR_MS })),
				(a, b, workMs, n, c) => {
					const of = (interruptionsPerHour: number, instances: number, ms: number) =>
						reworkOf({ workMs: ms, instances, interruptionsPerHour, checkpointEveryMs: c, changeoverMs: 7 * MINUTE_MS }).extraMs;
					const low = of(Math.min(a, b), n, workMs);
					expect(Number.isFinite(low) && low >= 0).toBe(true);
					expect(of(Math.max(a, b), n, workMs)).toBeGreaterThanOrEqual(low);
					expect(of(Math.min(a, b), n + 1, workMs)).toBeGreaterThanOrEqual(low);
				},
			),
		);
	});
});
