import { describe, expect, it } from "vitest";
import type { Candidate } from "#server/domain/decision.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { lostMs } from "./evict.ts";
import { makeRiskOf } from "./quote/risk-of.ts";
import { endOfAttempt, makeRunTimeOf } from "./run-time.ts";
import { exceededLimit } from "./stop.ts";
import { aJob, aPool, aSnapshot, NOON_MS } from "./testing/builders.ts";
import type { PoolView, Snapshot } from "./types.ts";
import { homeScore } from "./weigh-waiting.ts";

/** A job with four hours of work fills a pool of this speed, and another such job waits behind it. */
function busy(speed: number | undefined, part: Partial<Snapshot> = {}): Snapshot {
	const running = aJob("old")
		.gpus(4)
		.estimate(4 * HOUR_MS)
		.running("home-a", [0, 1, 2, 3], 0);
	const pool = aPool({ freeSlots: [], ...(speed !== undefined && { speed }) });
	return aSnapshot({ pools: [pool], running: [{ ...running, ...(speed !== undefined && { speed }) }], pending: [waiting], ...part });
}
const waiting = aJob("new")
	.gpus(4)
	.estimate(2 * HOUR_MS)
	.build();

function homeOf(snapshot: Snapshot): Candidate {
	const [explanation] = decide(snapshot, { explain: new Set([waiting.jobId]) }).explanations;
	const home = explanation?.candidates.find(({ placement }) => placement.capacityType === "owned");
	if (!home) throw new Error("no home in the explanation");
	return home;
}

describe("a pool twice as fast", () => {
	const [usual, fast] = [homeOf(busy(undefined)), homeOf(busy(2))];

	it("halves the forecast wait behind what runs there", () => {
		expect(usual.start.p50Ms - NOON_MS).toBeGreaterThan(3 * HOUR_MS);
		expect(fast.start.p50Ms - NOON_MS).toBe((usual.start.p50Ms - NOON_MS) / 2);
	});

	it("halves the run, its cost and its carbon, and the explanation names the speed", () => {
		const runOf = ({ start, finish }: Candidate): number => finish.p50Ms - start.p50Ms;
		expect(runOf(fast)).toBe(runOf(usual) / 2);
		expect(Number(fast.computeMicroUsd)).toBe(Number(usual.computeMicroUsd) / 2);
		expect(fast.emissionsGrams).toBeCloseTo((usual.emissionsGrams ?? 0) / 2, 6);
		expect([usual.speed, fast.speed]).toEqual([undefined, 2]);
	});

	it("is named in the placement's reason", () => {
		const { actions } = decide(aSnapshot({ pools: [aPool({ speed: 2 })], pending: [waiting] }));
		const [placed] = actions;
		expect(placed && sentenceOf(placed.reason)).toContain("at 2 × the usual speed");
	});

	it("makes a deadline that allows the usual run at most half as likely to be missed", () => {
		const tight = aJob("new")
			.estimate(HOUR_MS)
			.deadline(NOON_MS + HOUR_MS)
			.build();
		const risk = (speed: number) => {
			const snapshot = aSnapshot({ pools: [aPool({ speed })], pending: [tight] });
			const [home] = decide(snapshot).explanations[0]?.candidates ?? [];
			return home ? makeRiskOf(snapshot)(tight, home) : null;
		};
		expect(risk(1)).toBeGreaterThan(0.4);
		expect(risk(2)).toBeLessThan((risk(1) ?? 0) / 2);
		expect(risk(0.5)).toBeGreaterThan(0.8);
	});
});

describe("a pool half as fast", () => {
	it("counts waiting for it by the extra hours of the run", () => {
		const score = (view: PoolView) => homeScore({ ...view, gridGramsPerKwh: null }, queued, NOON_MS, perHour, snapshot);
		const snapshot = aSnapshot();
		const perHour = Number(snapshot.policy.weights.delayMicroUsdPerHour);
		const queued = { job: waiting, rest: { p50Ms: 2 * HOUR_MS, p90Ms: 4 * HOUR_MS } } as Parameters<typeof homeScore>[1];
		expect([score(aPool()), score(aPool({ speed: 0.5 })), score(aPool({ speed: 2 }))]).toEqual([0, 2 * perHour, -perHour]);
	});
});

describe("a live attempt on a pool twice as fast", () => {
	const attempt = {
		...aJob("runs")
			.estimate(4 * HOUR_MS)
			.max(3 * HOUR_MS)
			.running("home-a", [0], HOUR_MS),
		speed: 2,
	};

	it("has done two hours of work in one", () => {
		const ofEstimate = makeRunTimeOf([]);
		const unbounded = { ...attempt, spec: { ...attempt.spec, duration: { estimateMs: 4 * HOUR_MS, maxMs: null } } };
		const end = (speed: number) =>
			endOfAttempt({ ...unbounded, speed }, NOON_MS, ofEstimate, { speed, slots: 0 }).p50Ms - (NOON_MS - HOUR_MS);
		expect(end(2)).toBe(end(1) / 2);
	});

	it("counts unsaved work in wall-clock time", () => {
		expect(lostMs({ ...attempt, savedMs: 1.5 * HOUR_MS }, NOON_MS)).toBe(HOUR_MS / 4);
	});

	it("is held to its maximum in wall-clock time, including earlier attempts", () => {
		const before = { completedMs: 5 * HOUR_MS, completedByClockMs: 1.5 * HOUR_MS };
		expect(exceededLimit({ ...attempt, ...before }, NOON_MS, () => ({}) as never)).toBeNull();
		expect(exceededLimit({ ...attempt, ...before }, NOON_MS + HOUR_MS / 2, () => ({}) as never)?.code).toBe("max_duration_exceeded");
		const [action] = decide(
			aSnapshot({
				pending: [
					{
						...aJob("again")
							.max(3 * HOUR_MS)
							.build(),
						...before,
					},
				],
			}),
		).actions;
		expect(action?.kind).toBe("place_home");
	});
});
