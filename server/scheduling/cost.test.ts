import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { estimateOf, holdOf } from "./cost.ts";
import { LIMITS } from "./limits.ts";
import { emptyRecord, withInterruption, withRefusal } from "./records.ts";
import { aJob, anOffer, aPolicy, aSnapshot, NOON_MS } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";
import type { PendingJob, Snapshot } from "./types.ts";

const spot = anOffer({ capacityType: "spot", usd: "0.60", onDemandMicroUsdPerHour: usdToMicro(1) });
const onDemand = anOffer({ usd: "1.00" });
const weights = { delayMicroUsdPerHour: usdToMicro(5), carbonMicroUsdPerTonne: 0n };
const checkpoint = { path: "/ckpt", intervalMs: 15 * MINUTE_MS };

function withCheckpoint(job: PendingJob): PendingJob {
	return { ...job, spec: { ...job.spec, checkpoint } };
}

function estimate(given: Partial<Snapshot>, job: PendingJob) {
	const { choice, run } = chooseFor(aSnapshot({ policy: aPolicy({ weights }), ...given }), job);
	if (choice.kind !== "chosen") throw new Error(`not chosen: ${choice.kind}`);
	return { ...estimateOf(choice.row, run), hold: holdOf(choice.row, run), offerId: choice.row.offer.id };
}

describe("expected cost of finishing on an offer", () => {
	it("is boot and run alone without records: 61 min × $0.60 = $0.61", () => {
		const e = estimate({ offers: [spot] }, aJob().build());
		expect(e).toMatchObject({ billedMs: HOUR_MS + MINUTE_MS, reworkMs: 0, interruptions: 0, totalMicroUsd: 610_000 });
	});

	it("adds the expected rework on spot: 10 h at 0.1/h lose (7.5 + 1 + 3) min × 0.1 of each hour", () => {
		const job = withCheckpoint(
			aJob()
				.estimate(10 * HOUR_MS)
				.build(),
		);
		const e = estimate({ offers: [spot], offerRecords: new Map() }, job);
		const lost = (0.1 * 11.5) / 60;
		expect(e.reworkMs).toBeCloseTo((10 * HOUR_MS * lost) / (1 - lost), 3);
		expect(e.billedMs).toBeCloseTo(10 * HOUR_MS + MINUTE_MS + e.reworkMs, 3);
		expect(e.totalMicroUsd).toBe(Math.ceil((600_000 * e.billedMs) / HOUR_MS));
		// delay of the start and of the repeated work, at $5 an hour
		expect(e.scoreMicroUsd).toBeCloseTo((600_000 * e.billedMs + 5e6 * (MINUTE_MS + e.reworkMs)) / HOUR_MS, 3);
	});

	it("sends a long job without checkpoints to on-demand, and the same job with checkpoints to spot", () => {
		const given = { offers: [spot, onDemand], offerRecords: new Map() };
		const long = aJob()
			.estimate(10 * HOUR_MS)
			.build();
		expect(estimate(given, long).offerId).toBe(onDemand.id);
		expect(estimate(given, withCheckpoint(long)).offerId).toBe(spot.id);
	});

	it("prefers the zone with the better record at the same price", () => {
		const other = anOffer({ ...spot, region: "us-west-2", id: "aws:us-west-2:*:g5.xlarge:spot", usd: "0.60" });
		const bad = withInterruption(emptyRecord(NOON_MS), NOON_MS);
		const job = withCheckpoint(
			aJob()
				.estimate(5 * HOUR_MS)
				.build(),
		);
		for (const worse of [spot, other]) {
			const offerRecords = new Map([[worse.id, bad]]);
			expect(estimate({ offers: [spot, other], offerRecords }, job).offerId).toBe(worse === spot ? other.id : spot.id);
		}
	});

	it("counts refusals as time: a refusing offer falls behind a slightly more expensive one, and recovers by itself", () => {
		const moreExpensive = anOffer({ region: "us-west-2", usd: "1.01" });
		const { backoffUntilMs: _, ...refusing } = withRefusal(withRefusal(emptyRecord(NOON_MS), NOON_MS), NOON_MS);
		const given = { offers: [onDemand, moreExpensive], offerRecords: new Map([[onDemand.id, refusing]]) };
		expect(estimate(given, aJob().build()).offerId).toBe(moreExpensive.id);
		expect(estimate({ ...given, nowMs: NOON_MS + 2 * HOUR_MS, priceMaxAgeMs: 1e12 }, aJob().build()).offerId).toBe(onDemand.id);
	});

	it("skips an offer for the pause after a refusal, and says until when", () => {
		const offerRecords = new Map([[onDemand.id, withRefusal(emptyRecord(NOON_MS), NOON_MS)]]);
		const { choice } = chooseFor(aSnapshot({ offers: [onDemand], offerRecords }), aJob().build());
		expect(choice).toMatchObject({ kind: "backed_off", untilMs: NOON_MS + LIMITS.refusalPauseMs });
	});

	it("bills at least the minimum billed time", () => {
		const e = estimate({ offers: [{ ...onDemand, billedMinimumMs: 24 * HOUR_MS }] }, aJob().max(HOUR_MS).build());
		expect(e.totalMicroUsd).toBe(24_000_000);
		expect(e.hold).toBe(24_000_000n);
	});

	it("includes the disk, at the most expensive month's hour: 100 GiB at $6.72 a month of 672 h for 61 min is $0.010167, in total, score and hold", () => {
		const disk = { type: "gp3", gib: 100, microUsdPerMonth: 6_720_000n, observedAtMs: NOON_MS, source: "a list" };
		const [bare, full] = [estimate({ offers: [spot] }, aJob().build()), estimate({ offers: [{ ...spot, disk }] }, aJob().build())];
		expect([bare.storageMicroUsd, full.storageMicroUsd]).toEqual([null, 10_167]);
		expect(full.totalMicroUsd - bare.totalMicroUsd).toBe(10_167);
		expect(full.scoreMicroUsd - bare.scoreMicroUsd).toBeCloseTo(10_166.67, 1);
		expect(full.hold).toBe((bare.hold * 61n + 59n) / 60n);
	});

	it("chooses the machine that is cheaper with its disk, and distinguishes an unknown disk price from none", () => {
		const disk = (microUsdPerMonth: bigint | null) => ({ type: "gp3", gib: 100, microUsdPerMonth, observedAtMs: null, source: "a list" });
		const cheapDisk = anOffer({ region: "us-west-2", usd: "1.01", disk: disk(6_720_000n) });
		const offers = [{ ...onDemand, disk: disk(67_200_000n) }, cheapDisk];
		expect(estimate({ offers }, aJob().build()).offerId).toBe(cheapDisk.id);
		expect(estimate({ offers: [{ ...onDemand, disk: disk(null) }] }, aJob().build()).storageMicroUsd).toBeNull();
	});

	it("ranks a disk with an unknown price at the highest known price and leaves it out of the cost", () => {
		const disk = (microUsdPerMonth: bigint | null) => ({ type: "gp3", gib: 100, microUsdPerMonth, observedAtMs: null, source: "a list" });
		const unknown = { ...onDemand, disk: disk(null) };
		// With disks of $0.01 an hour on both, the hundredth of a cent decides; if the unknown disk counted as free, the other offer
		// would win.
		const known = anOffer({ region: "us-west-2", usd: "0.9999", disk: disk(6_720_000n) });
		expect(estimate({ offers: [unknown, known] }, aJob().build())).toMatchObject({ offerId: known.id, storageMicroUsd: 10_167 });
		const alone = estimate({ offers: [unknown] }, aJob().build());
		expect(alone).toMatchObject({ totalMicroUsd: 1_016_667, storageMicroUsd: null });
	});

	it("ranks by the price actually paid, whatever the list price", () => {
		const discounted = anOffer({ region: "eu-west-1", usd: "0.80", onDemandMicroUsdPerHour: usdToMicro(2) });
		expect(estimate({ offers: [onDemand, discounted] }, aJob().build()).offerId).toBe(discounted.id);
	});
});

describe("checkpoints that go home", () => {
	const job = (checkpointGiB?: number): PendingJob => ({
		...withCheckpoint(aJob().max(HOUR_MS).build()),
		...(checkpointGiB !== undefined && { checkpointGiB }),
	});

	it("cost egress: one per 15 minutes over an hour and one at the end, 5 × 2 GiB × $0.09, and in the worst case over the whole life", () => {
		const [unknown, known] = [estimate({ offers: [onDemand] }, job()), estimate({ offers: [onDemand] }, job(2))];
		expect(known.egressMicroUsd - unknown.egressMicroUsd).toBe(900_000);
		expect(known.totalMicroUsd - unknown.totalMicroUsd).toBe(900_000);
		expect(known.scoreMicroUsd - unknown.scoreMicroUsd).toBeCloseTo(900_000, 3);
		// 60 min + 10 to boot + 2 to stop: 4 full quarter-hours and the end
		expect(known.hold - unknown.hold).toBe(900_000n);
		const long = aPolicy({
			weights,
			rules: [["life", null, { kind: "limit", instanceMs: 4 * HOUR_MS, idleMs: null, gpuUtilisationBelow: null }]],
		});
		const open = (checkpointGiB: number) => ({ ...withCheckpoint(aJob().build()), checkpointGiB });
		const of = (gib: number) => estimate({ offers: [onDemand], policy: long }, open(gib)).hold;
		expect(of(2) - of(0)).toBe(BigInt(17 * 2 * 90_000));
	});

	it("use the rest of the month's tier first: 4 of 10 GiB × $0.09 + 6 × $0.085 = $0.87; in the worst case all × $0.09 = $0.90", () => {
		const steps = [
			{ gib: 4, microUsdPerGiB: 90_000 },
			{ gib: 40_960, microUsdPerGiB: 85_000 },
			{ gib: null, microUsdPerGiB: 50_000 },
		];
		const data = { replicas: new Map(), inboundMiBPerS: new Map(), egressSteps: new Map([[`aws:${onDemand.region}`, steps]]) };
		const [unknown, known] = [estimate({ offers: [onDemand], data }, job()), estimate({ offers: [onDemand], data }, job(2))];
		expect(known.egressMicroUsd - unknown.egressMicroUsd).toBe(870_000);
		expect(known.scoreMicroUsd - unknown.scoreMicroUsd).toBeCloseTo(870_000, 3);
		expect(known.hold - unknown.hold).toBe(900_000n);
		// 5 × 10,000 GiB: 4 × $0.09 + 40,960 × $0.085 + 9,036 × $0.05
		expect(estimate({ offers: [onDemand], data }, job(10_000)).egressMicroUsd).toBe(360_000 + 3_481_600_000 + 451_800_000);
	});

	it("select the region in a cheaper egress tier: 10 GiB × ($0.09 − $0.05) = $0.40 exceeds a machine at $0.10 an hour more", () => {
		const far = anOffer({ region: "us-west-2", usd: "1.10" });
		const egressSteps = new Map([["aws:us-west-2", [{ gib: null, microUsdPerGiB: 50_000 }]]]);
		const data = { replicas: new Map(), inboundMiBPerS: new Map(), egressSteps };
		expect(estimate({ offers: [onDemand, far] }, job(2)).offerId).toBe(onDemand.id);
		expect(estimate({ offers: [onDemand, far], data }, job(2))).toMatchObject({ offerId: far.id, egressMicroUsd: 500_000 });
	});

	it("select the region with cheaper egress, and cost nothing for a job that makes none", () => {
		const far = anOffer({ region: "us-west-2", usd: "1.10", egressMicroUsdPerGiB: usdToMicro("0.02") });
		const given = { offers: [onDemand, far] };
		expect(estimate(given, job(0.001)).offerId).toBe(onDemand.id);
		expect(estimate(given, job(2)).offerId).toBe(far.id);
		expect(estimate(given, { ...aJob().build(), checkpointGiB: 2 })).toMatchObject({ offerId: onDemand.id, egressMicroUsd: 0 });
	});
});

describe("gangs in the cloud", () => {
	const gang = anOffer({ usd: "2", gpus: 8, gangs: true });

	it("multiply cost, hold and emissions by the number of machines", () => {
		const boardWatts = { "A10G-24GB": 150 };
		const one = estimate({ offers: [gang], boardWatts }, aJob().gpus(8).max(HOUR_MS).build());
		const four = estimate({ offers: [gang], boardWatts }, aJob().gpus(8).nodes(4).max(HOUR_MS).build());
		expect(four.totalMicroUsd).toBe(4 * one.totalMicroUsd - 2); // each rounded up separately: 2.0333… × 4
		expect(four.hold).toBeGreaterThanOrEqual(4n * one.hold - 4n);
		expect(four.emissionsGrams).toBeCloseTo(4 * (one.emissionsGrams ?? Number.NaN), 6);
	});

	it("are interrupted when any of their machines is", () => {
		const spotGang = { ...spot, gangs: true };
		const job = (nodes: number) =>
			withCheckpoint(
				aJob()
					.nodes(nodes)
					.estimate(10 * HOUR_MS)
					.build(),
			);
		const given = { offers: [spotGang], offerRecords: new Map() };
		expect(estimate(given, job(8)).interruptions).toBeGreaterThan(8 * estimate(given, job(1)).interruptions);
	});

	it("start only where the driver can start them together", () => {
		const { choice, shape } = chooseFor(aSnapshot({ offers: [onDemand] }), aJob().nodes(2).build());
		expect(choice).toMatchObject({ kind: "none", main: null });
		expect(shape.offers().removed).toMatchObject([{ why: "multi_node_unsupported", count: 1 }]);
	});
});
