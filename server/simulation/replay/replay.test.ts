import { describe, expect, it } from "vitest";
import { costOfElapsed } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { type MeasuredRun, round3 } from "./meter.ts";
import { RULES_OF_THUMB_NAMES, replay, SPILLWAY } from "./replay.ts";
import { aBusyScenario, anAvailability, aReplayOffer, aReplayPolicy, aReplayPool, aScenario, aTraceJob } from "./testing/small.ts";
import type { StrategyChoice } from "./types.ts";

const POLICY = aReplayPolicy(`
    - { id: when-full, burst: { always: true } }
    - { id: go-home, move: { to: [home] } }
    - { id: lifetime, limit: { instanceHours: 72 } }`);
const CHOICES: StrategyChoice[] = [...RULES_OF_THUMB_NAMES.map((name) => ({ name, policy: null })), { name: SPILLWAY, policy: POLICY }];

describe.each(CHOICES)("$name over two busy days", (choice) => {
	const { jobs, scenario } = aBusyScenario(3);
	const runs: MeasuredRun[] = [];
	const report = replay(jobs, scenario, choice, { onRun: (run) => runs.push(run) });

	it("gives the same report for the same seed", () => {
		const again = replay(jobs, scenario, choice);
		const untimed = { replaySeconds: 0, decisionsPerSecond: 0 };
		expect(JSON.stringify({ ...again, ...untimed })).toBe(JSON.stringify({ ...report, ...untimed }));
	});

	it("finishes every job exactly once", () => {
		const finished = runs.filter(({ why }) => why === "finished").map(({ run }) => run.job.id);
		expect(finished.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
		expect(report.jobsDone).toBe(jobs.length);
	});

	it("has work done + lost = time held, job by job", () => {
		const gained = new Map<string, number>();
		let lostGpuMs = 0;
		for (const { run, why, endMs, gainedMs } of runs) {
			gained.set(run.job.id, (gained.get(run.job.id) ?? 0) + gainedMs);
			if (why !== "refused") lostGpuMs += (endMs - run.placedAtMs - gainedMs) * run.job.gpus;
		}
		for (const { id, durationMs } of jobs) expect(gained.get(id)).toBe(durationMs);
		expect(report.lostGpuHours).toBeCloseTo(lostGpuMs / HOUR_MS, 3);
	});

	it("has cloud cost = instances × time × price, summed by hand", () => {
		let microUsd = 0n;
		for (const { run, why, endMs } of runs) {
			if (!run.offer || why === "refused") continue;
			microUsd += BigInt(run.job.nodes) * costOfElapsed(run.offer.microUsdPerHour ?? 0n, endMs - run.placedAtMs);
		}
		expect(report.cloudCostUsd).toBeCloseTo(Number(microUsd) / 1e6, 3);
		expect(report.overshootUsd).toBe(0);
	});

	it("never gives one slot to two attempts, or two attempts to one job", () => {
		const spans = runs.filter(({ why }) => why !== "refused").map(({ run, endMs }) => ({ run, from: run.placedAtMs, to: endMs }));
		for (const [i, a] of spans.entries()) {
			for (const b of spans.slice(i + 1)) {
				if (a.to <= b.from || b.to <= a.from) continue;
				expect(a.run.job.id).not.toBe(b.run.job.id);
				const shared = a.run.home?.slots.filter((slot) => b.run.home?.slots.includes(slot)) ?? [];
				expect(shared).toEqual([]);
			}
		}
	});
});

describe("rules of thumb, by hand", () => {
	const jobs = [
		aTraceJob("long", { gpus: 6, durationMs: 2 * HOUR_MS }),
		aTraceJob("wide", { gpus: 8, submitMs: SECOND_MS, durationMs: HOUR_MS }),
		aTraceJob("small", { gpus: 2, submitMs: 2 * SECOND_MS, durationMs: HOUR_MS, limitMs: HOUR_MS, user: "ada" }),
	];
	const startsOf = (name: string): Record<string, number> => {
		const starts: Record<string, number> = {};
		replay(
			jobs,
			aScenario(),
			{ name, policy: null },
			{
				onRun: ({ run }) => {
					starts[run.job.id] = run.commandAtMs - run.job.submittedAtMs;
				},
			},
		);
		return starts;
	};

	it("first in, first out: the small job waits behind the wide one", () => {
		expect(startsOf("owned_fifo")).toEqual({ long: 0, wide: 2 * HOUR_MS - SECOND_MS, small: 3 * HOUR_MS - 2 * SECOND_MS });
	});

	it("backfill: the small job runs next to the long one, as it is expected to end before the wide one can start", () => {
		const limits = jobs.map((job) => ({ ...job, limitMs: job.durationMs }));
		const starts: Record<string, number> = {};
		replay(
			limits,
			aScenario(),
			{ name: "owned_backfill", policy: null },
			{
				onRun: ({ run }) => {
					starts[run.job.id] = run.commandAtMs - run.job.submittedAtMs;
				},
			},
		);
		expect(starts).toEqual({ long: 0, wide: 2 * HOUR_MS - SECOND_MS, small: 0 });
	});

	it("gives up a job larger than the owned pool, for strategies that only own", () => {
		const report = replay([aTraceJob("huge", { gpus: 64 })], aScenario(), { name: "owned_fifo", policy: null });
		expect(report).toMatchObject({ jobs: 1, jobsDone: 0 });
	});
});

describe("cloud capacity", () => {
	it("resumes an interrupted job from its last checkpoint after boot and restore", () => {
		const scenario = aScenario({
			pools: [],
			offers: [aReplayOffer("spot", { usd: "4", type: "spot" }), aReplayOffer("od", { usd: "30" })],
			availability: new Map([["spot", anAvailability(1, 10)]]),
		});
		const report = replay([aTraceJob("a", { gpus: 8, durationMs: 2 * HOUR_MS })], scenario, { name: "eager_spot", policy: null });
		// Spot: 4 min boot, 56 min of work with 45 saved. The retry is refused for 30 s, then on-demand: 4 min boot, 3 min restore, 75 min.
		const endMs = 60 * MINUTE_MS + 30 * SECOND_MS + (4 + 3 + 75) * MINUTE_MS;
		expect(report).toMatchObject({ interruptions: 1, refusals: 1, meanTimeToModelS: endMs / SECOND_MS, meanWaitS: 240 });
		expect(report.cloudCostUsd).toBeCloseTo(4 + (30 * 82) / 60, 3);
		expect(report.lostGpuHours).toBeCloseTo((8 * (4 + 11 + 4 + 3)) / 60, 3);
	});

	it("leaves on-demand under consolidation at a checkpoint once cheaper spot is available, and not before", () => {
		const offers = [aReplayOffer("spot", { usd: "4", type: "spot" }), aReplayOffer("od", { usd: "30" })];
		const away = { ...anAvailability(1, 9), available: [false, true] };
		const scenario = aScenario({ pools: [], offers, availability: new Map([["spot", away]]) });
		const report = replay([aTraceJob("a", { gpus: 8, durationMs: 2 * HOUR_MS })], scenario, { name: "consolidate", policy: null });
		// Refused for 30 s, then on-demand until the first checkpoint after an hour: boot, 4 × 15 min. Then spot: boot, restore, 1 h.
		expect(report).toMatchObject({ refusals: 1, moves: 1, jobsDone: 1, interruptions: 0 });
		expect(report.cloudGpuHoursByCapacityType).toEqual({ on_demand: round3((8 * 64.5) / 60), spot: round3((8 * 67) / 60) });
	});

	it("starts a strict job at home under uniform progress with owned GPUs, and brings one home when it fits", () => {
		const pools = [aReplayPool({ nodes: 1 })];
		const offers = [aReplayOffer("od", { usd: "30" })];
		const strict = { gpus: 8, durationMs: 2 * HOUR_MS, deadlineKind: "strict" as const, deadlineMs: 3 * HOUR_MS };
		const jobs = [aTraceJob("first", { ...strict, durationMs: HOUR_MS }), aTraceJob("second", { ...strict, submitMs: MINUTE_MS })];
		const report = replay(jobs, aScenario({ pools, offers }), { name: "uniform_progress_owned", policy: null });
		expect(report).toMatchObject({ strictMisses: 0, moves: 1, jobsDone: 2 });
		expect(report.cloudGpuHours).toBeLessThan(8 * 1.5);
	});

	it("counts a strict deadline that an ideal machine would have met as an avoidable miss, and no other", () => {
		const scenario = aScenario({ pools: [aReplayPool({ nodes: 1 })] });
		const strict = { deadlineKind: "strict" as const, gpus: 8 };
		const jobs = [
			aTraceJob("first", { gpus: 8 }),
			aTraceJob("late", { ...strict, deadlineMs: 90 * MINUTE_MS }),
			aTraceJob("hopeless", { ...strict, deadlineMs: 50 * MINUTE_MS }),
		];
		const report = replay(jobs, scenario, { name: "owned_fifo", policy: null });
		expect(report).toMatchObject({ strictMisses: 2, avoidableStrictMisses: 1 });
	});
});

describe("emissions", () => {
	const away = { name: "cloud_on_demand", policy: null };
	const offer = (given: Partial<ReturnType<typeof aReplayOffer>>) => ({ ...aReplayOffer("od", { usd: "2", gpus: 1 }), ...given });
	// 64 min of one GPU: 400 W × 1.2 × 300 g/kWh × 64/60 h = 153.6 g
	it.each([
		["is the sum when all is known", [offer({})], 0.154, 0],
		["is unknown without an intensity", [offer({ gridGramsPerKwh: null })], null, 1.067],
		["is unknown without a PUE", [offer({ pue: null })], null, 1.067],
		["is unknown without a power draw", [offer({ accelerator: "new" })], null, 1.067],
	])("%s: counts GPU time without a figure, never as zero", (_, offers, emissionsKg, emissionsUnknownGpuHours) => {
		const report = replay([aTraceJob("a")], aScenario({ pools: [], offers }), away);
		expect(report).toMatchObject({ emissionsKg, emissionsUnknownGpuHours });
	});
	it("covers the known part: at home, 500 W × 1.5 × 400 g/kWh × 1 h = 300 g", () => {
		const pools = [aReplayPool({ gpusPerNode: 1 })];
		const jobs = [aTraceJob("a"), aTraceJob("b")];
		const report = replay(jobs, aScenario({ pools, offers: [offer({ gridGramsPerKwh: null })] }), {
			name: "overflow_on_demand",
			policy: null,
		});
		expect(report).toMatchObject({ emissionsKg: 0.3, emissionsUnknownGpuHours: 1.067 });
	});
	it("is 0 where nothing was used", () => {
		expect(replay([], aScenario(), away)).toMatchObject({ emissionsKg: 0, emissionsUnknownGpuHours: 0 });
	});
});

describe("hard conditions", () => {
	it("loses all work on an interruption and moves nothing without checkpoints", () => {
		const spot = aReplayOffer("spot", { usd: "1", type: "spot" });
		const scenario = aScenario({
			pools: [],
			offers: [spot, aReplayOffer("firm", { usd: "20" })],
			availability: new Map([["spot", anAvailability(2, 1, 20)]]),
			checkpointEveryMs: Number.POSITIVE_INFINITY,
		});
		const report = replay([aTraceJob("a", { durationMs: 3 * HOUR_MS })], scenario, { name: "pull", policy: null });
		expect(report).toMatchObject({ interruptions: 1, moves: 0, jobsDone: 1 });
		expect(report.lostGpuHours).toBeCloseTo(2 + 4 / 60, 2);
	});

	it("throttles a region's launches beyond its limit per minute", () => {
		const scenario = aScenario({ pools: [], offers: [aReplayOffer("firm", { usd: "1", gpus: 1 })], requestsPerMinute: 2 });
		const jobs = ["a", "b", "c"].map((id) => aTraceJob(id));
		for (const choice of [
			{ name: "cloud_on_demand", policy: null },
			{ name: SPILLWAY, policy: POLICY },
		]) {
			const report = replay(jobs, scenario, choice);
			expect(report.jobsDone).toBe(3);
			expect(report.throttled).toBeGreaterThanOrEqual(1);
			expect(report.refusals).toBe(0);
		}
	});
});
