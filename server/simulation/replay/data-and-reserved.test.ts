import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { replay, SPILLWAY } from "./replay.ts";
import { eventsOf } from "./testing/events.ts";
import { anAvailability, aReplayOffer, aReplayPolicy, aScenario, aTraceJob, START_MS } from "./testing/small.ts";
import type { ReplayDataSet, ReplayScenario } from "./types.ts";

const AWAY = aReplayPolicy(`
    - { id: away, burst: { always: true } }
    - { id: lifetime, limit: { instanceHours: 72 } }`);
const spillway = { name: SPILLWAY, policy: { ...AWAY, weights: { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n } } };

const claims: ReplayDataSet = { uri: "s3://claims", sizeGiB: 100, copies: ["aws:us-east-1"], residency: [], teams: ["vision"] };
const records: ReplayDataSet = { uri: "s3://records", sizeGiB: 360, copies: ["home"], residency: ["eu"], teams: ["health"] };

/** One GPU in Virginia for $2/h and one in Ireland for $1/h, both with egress at $0.09/GiB; data arrives at 1 GiB/s. */
const twoRegions = (given: Partial<ReplayScenario> = {}): ReplayScenario =>
	aScenario({
		pools: [],
		offers: [
			aReplayOffer("near", { usd: "2", gpus: 1, region: "us-east-1" }),
			aReplayOffer("far", { usd: "1", gpus: 1, region: "eu-west-1" }),
		],
		data: {
			sets: [claims, records],
			inboundMiBPerS: new Map([
				["aws:us-east-1", 1024],
				["aws:eu-west-1", 1024],
			]),
		},
		dataOutGiB: 10,
		...given,
	});

describe("data sets, as they are staged in and paid for", () => {
	// Three one-hour jobs, 4 min to boot:
	//   reader (vision): next to its data for 64 min × $2 = 2.133; in Ireland it would be 65 min 40 s × $1 + 100 GiB × $0.09 = 10.094
	//   other (risk) reads nothing: Ireland for 64 min × $1 = 1.067
	//   patient (health): must stay in the EU; 360 GiB from home take 360 s and cost nothing: 70 min × $1 = 1.167
	// compute 4.367; each brings 10 GiB home: 30 × $0.09 = 2.70; waits 240, 240 and 600 s.
	it("puts each job where finishing it costs least, in its area", async () => {
		const jobs = [aTraceJob("reader"), aTraceJob("other", { team: "risk" }), aTraceJob("patient", { team: "health" })];
		await expect(eventsOf(jobs, twoRegions(), spillway)).toMatchFileSnapshot("./golden/staged-data.spillway.trace");
		const report = replay(jobs, twoRegions(), spillway);
		expect(report).toMatchObject({ costByKindUsd: { compute: 4.367, egress: 2.7 }, egressGiB: 30, meanWaitS: 360, overshootUsd: 0 });
	});

	// 360 GiB at 1 GiB/s: 6 min of a machine at $1 ($0.10), or 6 min into a store before the launch. With a store, and since waiting costs
	// nothing, patient launches
	// when the copy is complete, 6 min later, for 64 min. The next job, 2 h later, waits for a tenth of that, 36 s, and then for the boot.
	it("copies into a store before the launch where there is one, an older copy for a tenth of the time", () => {
		const jobs = [aTraceJob("patient", { team: "health" }), aTraceJob("next", { team: "health", submitMs: 2 * HOUR_MS })];
		const { data } = twoRegions();
		if (!data) throw new Error("no data");
		const stores = new Map([["aws:eu-west-1", null]]);
		const waits = (given: ReplayScenario, choice: Parameters<typeof replay>[2] = spillway): [number, unknown] => {
			const report = replay(jobs, given, choice);
			return [report.meanWaitS, report.costByKindUsd];
		};
		expect(waits(twoRegions({ dataOutGiB: 0 }))).toEqual([600, { compute: 2.333, egress: 0 }]);
		expect(waits(twoRegions({ dataOutGiB: 0, data: { ...data, stores } }))).toEqual([438, { compute: 2.133, egress: 0 }]);
		const rival = { name: "cloud_on_demand", policy: null } as const;
		expect(waits(twoRegions({ dataOutGiB: 0, data: { ...data, stores } }), rival)).toEqual([600, { compute: 2.333, egress: 0 }]);
	});

	it("keeps the rivals within the area too, which otherwise take the lowest price: 100 GiB leave Virginia for $9", () => {
		const jobs = [aTraceJob("reader"), aTraceJob("patient", { team: "health" })];
		const near = twoRegions({ offers: twoRegions().offers.map((o) => (o.id === "near" ? { ...o, microUsdPerHour: 500_000n } : o)) });
		const report = replay(jobs, near, { name: "cloud_on_demand", policy: null });
		// Virginia at $0.50 for 64 min and Ireland for 70 min
		expect(report.costByKindUsd).toEqual({ compute: 1.7, egress: 1.8 });
		const far = replay([aTraceJob("reader")], twoRegions(), { name: "cloud_on_demand", policy: null });
		expect(far.costByKindUsd).toEqual({ compute: 1.094, egress: 9.9 });
		expect(far).toMatchObject({ egressGiB: 110, meanWaitS: 340, lostGpuHours: 0.094 });
	});

	it("pays what was copied until its machine is taken: 50 of 100 s are 50 GiB, and all of it again on the next", () => {
		const offers = [
			aReplayOffer("spot", { usd: "0.5", gpus: 1, type: "spot", region: "eu-west-1" }),
			aReplayOffer("far", { usd: "1", gpus: 1, region: "eu-west-1" }),
		];
		const gone = anAvailability((4 * MINUTE_MS + 50 * SECOND_MS) / HOUR_MS, 1000);
		const scenario = twoRegions({ offers, availability: new Map([["spot", gone]]), dataOutGiB: 0 });
		const report = replay([aTraceJob("reader")], scenario, { name: "eager_spot", policy: null });
		// no offer in Virginia: its egress is assumed to cost the highest known price
		expect(report).toMatchObject({ egressGiB: 150, costByKindUsd: { egress: 13.5 }, interruptions: 1 });
	});

	// 72 h and 5 min at $2 are $144.17 and 10 GiB are $0.90: the hold is $145.07. The first job is charged $2.13 + $0.90 = $3.03, so the
	// second one fits under $148.10 or more. Under $148.00 it would fit only without the egress, so it waits for the new month.
	it.each([
		[148_200_000n, "2026-01-31T14:08:00.000Z"],
		[148_000_000n, "2026-02-01T01:04:00.000Z"],
	])("holds the worst case, egress included: with a cap of %d µ$ both are done at %s", (capMicroUsd, doneAt) => {
		const startMs = Date.UTC(2026, 0, 31, 12);
		const jobs = [aTraceJob("a"), aTraceJob("b")];
		const policy = { ...spillway.policy, budgets: spillway.policy.budgets.map((budget) => ({ ...budget, capMicroUsd })) };
		const offers = [aReplayOffer("near", { usd: "2", gpus: 1, region: "us-east-1" })];
		let lastMs = 0;
		const onEvent = (atMs: number, what: string): void => {
			if (what === "finished") lastMs = atMs;
		};
		expect(replay(jobs, twoRegions({ startMs, offers }), { name: SPILLWAY, policy }, { onEvent })).toMatchObject({ overshootUsd: 0 });
		expect(new Date(lastMs).toISOString()).toBe(doneAt);
	});
});

describe("reserved capacity", () => {
	/** One reserved GPU at a marginal $0.50/h for 2 h, next to on-demand at $2/h. */
	const block = {
		...aReplayOffer("block", { usd: "0.5", gpus: 1, type: "reserved" }),
		reservedFree: 1,
		availableUntilMs: START_MS + 2 * HOUR_MS,
	};
	const scenario = aScenario({ pools: [], offers: [block, aReplayOffer("od", { usd: "2", gpus: 1 })] });
	const jobs = [
		aTraceJob("a", { limitMs: HOUR_MS }),
		aTraceJob("b", { submitMs: MINUTE_MS, limitMs: HOUR_MS }),
		aTraceJob("c", { submitMs: 70 * MINUTE_MS, durationMs: 20 * MINUTE_MS, limitMs: 20 * MINUTE_MS, team: "risk" }),
		aTraceJob("d", { submitMs: 100 * MINUTE_MS, limitMs: HOUR_MS }),
	];

	// a takes the reserved machine for 64 min × $0.50 = 0.533; it is not free for b: 64 min × $2 = 2.133;
	// c gets it after a, for 24 min × $0.50 = 0.20; at 100 min only 20 min remain, too few for d: 64 min × $2 = 2.133.
	it("is taken first, by one at a time, and only for what it lasts for", async () => {
		await expect(eventsOf(jobs, scenario, spillway)).toMatchFileSnapshot("./golden/reserved.spillway.trace");
		expect(replay(jobs, scenario, spillway)).toMatchObject({
			cloudCostUsd: 5,
			cloudGpuHoursByCapacityType: { on_demand: 2.133, reserved: 1.467 },
			refusals: 0,
		});
	});

	it("is had by as many as there are machines of it, without a refusal", () => {
		const four = Array.from({ length: 4 }, (_, i) => aTraceJob(`j${i}`, { submitMs: i * MINUTE_MS, limitMs: HOUR_MS }));
		const three = { ...scenario, offers: scenario.offers.map((o) => (o.id === "block" ? { ...o, reservedFree: 3 } : o)) };
		expect(replay(four, three, spillway)).toMatchObject({
			cloudGpuHoursByCapacityType: { on_demand: 1.067, reserved: 3.2 },
			refusals: 0,
		});
	});

	it("ends what runs on it with itself: rivals fill it whatever it lasts for, and go on elsewhere from their last checkpoint", () => {
		const late = [aTraceJob("d", { submitMs: 100 * MINUTE_MS })];
		const report = replay(late, scenario, { name: "overflow_on_demand", policy: null });
		// 20 min of it: 4 to boot, a checkpoint at 19; then 4 to boot, 3 to restore, 45 of work elsewhere
		expect(report).toMatchObject({ jobsDone: 1, cloudGpuHoursByCapacityType: { on_demand: 0.867, reserved: 0.333 }, interruptions: 0 });
	});

	it("may cost nothing more, is rejected when it is full, and is nothing after its end", () => {
		const free = { ...block, microUsdPerHour: 0n };
		const two = [aTraceJob("a"), aTraceJob("b")];
		const alone = replay(two, { ...scenario, offers: [free] }, { name: "cloud_on_demand", policy: null });
		expect(alone).toMatchObject({ cloudCostUsd: 0, jobsDone: 1 });
		expect(alone.refusals).toBeGreaterThan(0);
		expect(replay([aTraceJob("late", { submitMs: 3 * HOUR_MS })], scenario, spillway)).toMatchObject({
			cloudGpuHoursByCapacityType: { on_demand: 1.067 },
		});
	});
});

describe("quotas", () => {
	/** Two machines of 4 GPUs for $1 and $2 an hour in one region under one quota; a third at $3 in another region without a quota. */
	const under = (limit: number) => {
		const quota = { name: "gpus", unit: "gpus", limit, used: 0 } as const;
		return aScenario({
			pools: [],
			offers: [
				{ ...aReplayOffer("a", { usd: "1", gpus: 4, region: "us-east-1" }), quota, quotaGpusFree: limit },
				{ ...aReplayOffer("b", { usd: "2", gpus: 4, region: "us-east-1" }), quota, quotaGpusFree: limit },
				aReplayOffer("c", { usd: "3", gpus: 4, region: "eu-west-1" }),
			],
		});
	};
	const three = Array.from({ length: 3 }, (_, i) => aTraceJob(`j${i}`, { gpus: 4, submitMs: i * MINUTE_MS }));

	it("are what the core sees left of them: no launch is rejected, and what they do not allow is bought elsewhere", () => {
		// 64 min each: two at $1 and one at $3, or one and two.
		expect(replay(three, under(8), spillway)).toMatchObject({ cloudCostUsd: 5.333, refusals: 0, jobsDone: 3 });
		expect(replay(three, under(4), spillway)).toMatchObject({ cloudCostUsd: 7.467, refusals: 0, jobsDone: 3 });
		expect(replay(three, under(3), spillway)).toMatchObject({ cloudCostUsd: 9.6, refusals: 0, jobsDone: 3 });
	});

	it("are free again when a machine has gone", () => {
		const later = [aTraceJob("x", { gpus: 4 }), aTraceJob("y", { gpus: 4, submitMs: 2 * HOUR_MS })];
		expect(replay(later, under(4), spillway)).toMatchObject({ cloudCostUsd: 2.133, refusals: 0 });
	});

	it("refuse what goes over them: rivals ask the next", () => {
		const report = replay(three, under(4), { name: "cloud_on_demand", policy: null });
		expect(report.jobsDone).toBe(3);
		expect(report.refusals).toBeGreaterThan(0);
	});
});
