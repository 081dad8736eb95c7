import { describe, expect, it } from "vitest";
import type { DataRef } from "#server/domain/job.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { choosePath } from "./copy-ahead.ts";
import { stagingOn } from "./cost.ts";
import { decide } from "./decide.ts";
import { linkKey } from "./link-speed.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, NOON_MS } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";
import type { CopyAhead, DataView as Known, Snapshot } from "./types.ts";

const claims: DataRef = { uri: "s3://acme/claims", sizeGiB: 600, mount: "/data", residency: [] };
const CLOUD = "gcp:us-central1";
const copy = (part: Partial<CopyAhead> = {}): CopyAhead => ({ asOfMs: null, beganMs: null, retryAtMs: null, problem: null, ...part });

/** 600 GiB take 20 min (512 MiB/s) from the cloud to the store at home. */
function known(part: Partial<Known> = {}): Known {
	return {
		replicas: new Map([[claims.uri, [CLOUD]]]),
		inboundMiBPerS: new Map(),
		stores: new Map([["home", null]]),
		sources: new Map([[claims.uri, [CLOUD]]]),
		copySpeeds: new Map([[linkKey(CLOUD, "home"), 512]]),
		copiesAhead: new Map(),
		...part,
	};
}

const job = aJob("a").waited(HOUR_MS).accelerators("A10G-24GB").data(claims).build();

function plan(data: Known, part: Partial<Snapshot> = {}) {
	const policy = aPolicy({ weights: { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n } });
	return decide(aSnapshot({ policy, pools: [aPool()], offers: [], pending: [job], data, ...part }));
}

describe("a job that needs data at its site", () => {
	it("waits for the copy without slots, and says when it is there and what its egress costs", () => {
		const gcp = anOffer({ provider: "gcp", region: "us-central1", egressMicroUsdPerGiB: 120_000n, accelerator: "T4-16GB" });
		const { actions, copyAhead, waiting, forecasts } = plan(known(), { offers: [gcp] });
		expect(actions).toEqual([]);
		expect(copyAhead?.get(job.jobId)).toEqual({ place: "home", uris: [claims.uri], from: { [claims.uri]: CLOUD } });
		expect(forecasts.get(job.jobId)).toEqual({ p50Ms: NOON_MS + 20 * MINUTE_MS, p90Ms: NOON_MS + 20 * MINUTE_MS });
		expect(sentenceOf(waiting.get(job.jobId) ?? expect.fail("no reason"))).toBe(
			"Waiting while its data are copied to home, without slots: 600 GiB, expected to be there by 2026-11-21 12:20 UTC; egress costs at most $72.00.",
		);
	});

	it("leaves its slots to other jobs meanwhile", () => {
		const other = aJob("b")
			.gpus(4)
			.max(10 * HOUR_MS)
			.build();
		const { actions } = plan(known(), { pending: [job, other] });
		expect(actions).toMatchObject([{ kind: "place_home", jobId: other.jobId }]);
	});

	it("starts in the cycle that sees a copy as new as the job", () => {
		const stored = (asOfMs: number) => known({ copiesAhead: new Map([["home", new Map([[claims.uri, copy({ asOfMs })]])]]) });
		expect(plan(stored(job.submittedAtMs)).actions).toMatchObject([{ kind: "place_home", jobId: job.jobId }]);
		expect(plan(stored(job.submittedAtMs - 1)).actions).toEqual([]);
	});

	it.each<[string, Known, DataRef]>([
		["the site has no store", known({ stores: new Map() }), claims],
		["the site has a listed copy", known({ replicas: new Map([[claims.uri, ["home"]]]) }), claims],
		["the site's cache has it", known({ cached: new Map([["home", [claims.uri]]]) }), claims],
		["no source can be read by the scheduler", known({ sources: new Map() }), claims],
		["copying takes less than two minutes", known(), { ...claims, sizeGiB: 59 }],
		["its size is unknown", known(), { ...claims, sizeGiB: null }],
		["it is a file of the scheduler's host", known(), { ...claims, uri: "file:///data/claims" }],
	])("starts and fetches its data itself if %s", (_why, data, ref) => {
		const own = aJob("c").waited(HOUR_MS).data(ref).build();
		expect(plan(data, { pending: [own] }).actions).toMatchObject([{ kind: "place_home" }]);
	});
});

describe("the source of a copy", () => {
	const path = (from: string, minutes: number, microUsd: number) => ({ from, ms: minutes * MINUTE_MS, microUsd });
	const paths = [path("fast", 10, 9), path("cheap", 60, 1), path("middle", 30, 4)];
	const by = (minutes: number) => choosePath(paths, { nowMs: NOON_MS, byMs: NOON_MS + minutes * MINUTE_MS })?.from;

	it("is the cheapest that is ready by the expected start, else the fastest", () => {
		expect([by(60), by(59), by(29), by(9)]).toEqual(["cheap", "middle", "fast", "fast"]);
		expect(choosePath([], { nowMs: 0, byMs: 0 })).toBeNull();
	});

	it("is a copy that Spillway made, if it is complete, as new as the job, and not being updated", () => {
		const made = (part: Partial<CopyAhead>) => {
			const copiesAhead = new Map([["home-b", new Map([[claims.uri, copy(part)]])]]);
			return plan(known({ sources: new Map(), copiesAhead, stores: new Map([["home", 512]]) })).copyAhead?.get(job.jobId)?.from;
		};
		expect(made({ asOfMs: job.submittedAtMs })).toEqual({ [claims.uri]: "home-b" });
		expect(made({ asOfMs: job.submittedAtMs - 1 })).toBeUndefined();
		expect(made({ asOfMs: null })).toBeUndefined();
		expect(made({ asOfMs: job.submittedAtMs, beganMs: NOON_MS })).toBeUndefined();
	});

	it("is read by each machine itself without a store there, and held for each: 600 GiB at $0.12, twice", () => {
		const offer = anOffer({ region: "eu-west-1", usd: "6.00", gangs: true });
		const gcp = anOffer({
			id: "g",
			provider: "gcp",
			siteId: "gcp",
			region: "us-central1",
			egressMicroUsdPerGiB: 120_000n,
			accelerator: "T4-16GB",
		});
		const held = (nodes: number) => {
			const own = aJob("g").waited(HOUR_MS).nodes(nodes).accelerators("A10G-24GB").data(claims).build();
			const { actions } = plan(known({ stores: new Map(), inboundMiBPerS: new Map([["aws:eu-west-1", 256]]) }), {
				pools: [],
				offers: [offer, gcp],
				pending: [own],
			});
			const [action] = actions;
			return action?.kind === "launch" ? action : expect.fail("no launch");
		};
		const [one, two] = [held(1), held(2)];
		expect(one.reads).toEqual([{ uri: claims.uri, from: CLOUD, microUsd: 72_000_000 }]);
		expect(two.holdMicroUsd).toBe(one.holdMicroUsd * 2n);
		const inCloud = known({ stores: new Map(), replicas: new Map([[claims.uri, ["aws:us-east-1"]]]) });
		const near = plan(inCloud, { pools: [], offers: [offer, anOffer({ accelerator: "T4-16GB" })] }).actions[0];
		expect(near).toMatchObject({ kind: "launch" });
		expect(near).not.toHaveProperty("reads");
	});

	it("can be another cloud for a launch, at that cloud's egress price until the copy holds it", () => {
		const place = "aws:eu-west-1";
		const offer = anOffer({ region: "eu-west-1", usd: "6.00" });
		const gcp = anOffer({
			id: "g",
			provider: "gcp",
			siteId: "gcp",
			region: "us-central1",
			egressMicroUsdPerGiB: 120_000n,
			accelerator: "T4-16GB",
		});
		const staging = (held: boolean) => {
			const begun = new Map([[place, new Map([[claims.uri, copy({ beganMs: NOON_MS, held })]])]]);
			const data = known({
				stores: new Map([[place, 512]]),
				inboundMiBPerS: new Map([[place, 256]]),
				copySpeeds: new Map(),
				copiesAhead: begun,
			});
			const policy = aPolicy({ weights: { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n } });
			const { choice, run } = chooseFor(aSnapshot({ policy, offers: [offer, gcp], data }), job);
			return choice.kind === "chosen" ? stagingOn(choice.row, run) : expect.fail(choice.kind);
		};
		expect(staging(false)).toMatchObject({
			copyFirst: [claims.uri],
			copyFrom: { [claims.uri]: CLOUD },
			copyMicroUsd: 72_000_000,
			copyGiB: 600,
		});
		expect(staging(true)).toMatchObject({ copyFirst: [claims.uri], copyMicroUsd: 0, copyGiB: 0 });
	});
});
