import { describe, expect, it } from "vitest";
import type { DataRef } from "#server/domain/job.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { estimateOf, stagingOn } from "./cost.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPolicy, aSnapshot, NOON_MS } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";
import type { CopyAhead, DecideMemo, DataView as Known } from "./types.ts";

const PLACE = "aws:eu-west-1";
const rows: DataRef = { uri: "file:///data/rows", sizeGiB: 600, mount: "/data", residency: [] };
const lake: DataRef = { ...rows, uri: "rclone://lake/rows" };
const offer = anOffer({ region: "eu-west-1", usd: "6.00" });
const submittedAtMs = NOON_MS - HOUR_MS;

const copy = (part: Partial<CopyAhead> = {}): CopyAhead => ({ asOfMs: null, beganMs: null, retryAtMs: null, problem: null, ...part });

/** Staging 600 GiB takes 10 min on the machine itself (1 GiB/s) and 20 min into the store (512 MiB/s). */
function known(copies: [string, CopyAhead][] = [], part: Partial<Known> = {}): Known {
	return {
		replicas: new Map([rows.uri, lake.uri].map((uri) => [uri, ["home-a"]])),
		inboundMiBPerS: new Map([[PLACE, 1024]]),
		stores: new Map([[PLACE, 512]]),
		copiesAhead: new Map([[PLACE, new Map(copies)]]),
		filesStayHome: true,
		...part,
	};
}

const withDelayWeight = (usdPerHour: number) =>
	aPolicy({ weights: { delayMicroUsdPerHour: BigInt(usdPerHour * 1e6), carbonMicroUsdPerTonne: 0n } });

function choose(data: Known, { ref = lake, delay = 0, deadlineMs = null as number | null } = {}) {
	const job = aJob().waited(HOUR_MS).data(ref);
	const snapshot = aSnapshot({ policy: withDelayWeight(delay), offers: [offer], data });
	const { choice, run, shape } = chooseFor(snapshot, (deadlineMs === null ? job : job.deadline(deadlineMs)).build());
	if (choice.kind !== "chosen") return { choice, shape, staging: null, estimate: null };
	return { choice, shape, staging: stagingOn(choice.row, run), estimate: estimateOf(choice.row, run) };
}

const MACHINE = { ms: 600 * SECOND_MS, waitMs: 0, copyFirst: [] };
const STORE = { ms: 0, waitMs: 1200 * SECOND_MS, copyFirst: [lake.uri] };

describe("copying ahead", () => {
	it("is chosen when the saved machine time is worth more than the delay", () => {
		// 10 min of a machine at $6 are $1.00; 10 min of delay cost $0.99 and $1.01.
		expect(choose(known(), { delay: 5.9 }).staging).toMatchObject(STORE);
		expect(choose(known(), { delay: 6.1 }).staging).toMatchObject(MACHINE);
	});

	it("starts later and costs less, and both are in the score", () => {
		const ahead = choose(known(), { delay: 1 }).estimate;
		const { estimate } = choose(known([], { stores: new Map() }), { delay: 1 });
		expect(ahead).toMatchObject({ copyAheadMs: 20 * MINUTE_MS, stagingMs: 0, billedMs: (estimate?.billedMs ?? 0) - 10 * MINUTE_MS });
		expect(ahead?.delayMs).toBe((estimate?.delayMs ?? 0) + 10 * MINUTE_MS);
		// $1.00 less to pay, 10 min × $1 more waiting.
		expect((estimate?.scoreMicroUsd ?? 0) - (ahead?.scoreMicroUsd ?? 0)).toBeCloseTo(1_000_000 - 1_000_000 / 6, 0);
	});

	it("needs no update of a copy that is still fresh", () => {
		const made: [string, CopyAhead][] = [[lake.uri, copy({ asOfMs: submittedAtMs - 5 * HOUR_MS })]];
		const fresh = (hours: number) => known(made, { freshMs: new Map([[lake.uri, hours * HOUR_MS]]) });
		expect(choose(fresh(5)).staging).toMatchObject({ ms: 0, moveGiB: 0, copyFirst: [] });
		expect(choose(fresh(4)).staging?.moveGiB).toBe(600);
	});

	it("needs a declared copy at home, a store, and a saving that is worth the detour", () => {
		expect(choose(known([], { replicas: new Map([[lake.uri, ["gcp:us-central1"]]]) })).staging).toMatchObject(MACHINE);
		expect(choose(known([], { replicas: new Map() })).staging).toMatchObject(MACHINE);
		expect(choose(known([], { stores: new Map([["aws:us-east-1", 512]]) })).staging).toMatchObject(MACHINE);
		expect(choose(known(), { ref: { ...lake, sizeGiB: 119 } }).staging?.copyFirst).toEqual([]);
		expect(choose(known(), { ref: { ...lake, sizeGiB: 120 } }).staging?.copyFirst).toEqual([lake.uri]);
	});

	it("does not risk a deadline that staging on the machine would meet", () => {
		// P90: 2 min to start, 90 min to run, 20 min of copying.
		const lastMs = NOON_MS + (2 + 90 + 20) * MINUTE_MS;
		expect(choose(known(), { deadlineMs: lastMs }).staging).toMatchObject(STORE);
		expect(choose(known(), { deadlineMs: lastMs - 1 }).staging).toMatchObject(MACHINE);
	});

	it("counts existing copies: nothing to stage when the copy is as new as the job, a tenth when it is older", () => {
		expect(choose(known([[lake.uri, copy({ asOfMs: submittedAtMs })]])).staging).toMatchObject({ ms: 0, waitMs: 0, copyFirst: [] });
		const stale = copy({ asOfMs: submittedAtMs - 1 });
		expect(choose(known([[lake.uri, stale]])).staging).toMatchObject({ ...STORE, waitMs: 120 * SECOND_MS });
	});

	it("counts down during the copy, never to the end, and pauses after a failure", () => {
		const begun = (ms: number) => known([[lake.uri, copy({ beganMs: NOON_MS - ms })]]);
		expect(choose(begun(15 * MINUTE_MS)).staging).toMatchObject({ ...STORE, waitMs: 5 * MINUTE_MS });
		expect(choose(begun(50 * MINUTE_MS)).staging).toMatchObject({ ...STORE, waitMs: 2 * MINUTE_MS });
		const failed = known([[lake.uri, copy({ retryAtMs: NOON_MS + MINUTE_MS, problem: "no such bucket" })]]);
		expect(choose(failed).staging).toMatchObject({ waitMs: 21 * MINUTE_MS, problem: "no such bucket" });
	});

	it("is the only way into a cloud for a set that only home can read", () => {
		expect(choose(known(), { ref: rows, delay: 1000 }).staging).toMatchObject({ ...STORE, copyFirst: [rows.uri] });
		const { choice, shape } = choose(known([], { stores: new Map() }), { ref: rows });
		expect(choice.kind).toBe("none");
		expect(shape.offers().removed).toMatchObject([{ why: "data_at_home", facts: { uri: rows.uri } }]);
	});
});

describe("a job with data copied ahead", () => {
	const job = aJob("a").waited(HOUR_MS).data(rows).build();
	const plan = (data: Known, memo?: DecideMemo) =>
		decide(aSnapshot({ policy: withDelayWeight(0), pools: [], offers: [offer], pending: [job], data }), {
			explain: new Set([job.jobId]),
			...(memo && { memo }),
		});

	it("waits in the queue without a launch, requests the copy, and says so", () => {
		const { actions, copyAhead, waiting, explanations } = plan(known());
		expect(actions).toEqual([]);
		expect(copyAhead).toEqual(new Map([[job.jobId, { place: PLACE, uris: [rows.uri], from: { [rows.uri]: "home-a" } }]]));
		expect(sentenceOf(waiting.get(job.jobId) ?? expect.fail("no reason"))).toBe(
			"Waiting while its data are copied to aws eu-west-1, before GPUs are billed there: 600 GiB, expected to be there by 2026-11-21 12:20 UTC; a machine that copied them itself would cost $1.00 more.",
		);
		expect(explanations[0]?.candidates[0]).toMatchObject({
			outcome: "chosen",
			copyAheadMs: 20 * MINUTE_MS,
			start: { p50Ms: NOON_MS + 21 * MINUTE_MS },
		});
	});

	it("launches in the cycle that sees the copy, with a memo too", () => {
		const memo: DecideMemo = { kept: new Map() };
		expect(plan(known(), memo).actions).toEqual([]);
		const done = plan(known([[rows.uri, copy({ asOfMs: NOON_MS })]]), memo);
		expect(done.actions).toMatchObject([{ kind: "launch", offer: { id: offer.id } }]);
		expect(done.copyAhead).toBeUndefined();
	});

	it("requests nothing when it is only quoted", () => {
		const snapshot = aSnapshot({ policy: withDelayWeight(0), pools: [], offers: [offer], pending: [job], data: known() });
		expect(decide(snapshot, { asked: new Set([job.jobId]) }).copyAhead).toBeUndefined();
	});
});
