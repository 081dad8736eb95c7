import { describe, expect, it } from "vitest";
import type { DataRef } from "#server/domain/job.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { estimateOf } from "./cost.ts";
import { openData } from "./data.ts";
import { decide } from "./decide.ts";
import { ANY_PLACE, linkKey } from "./link-speed.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";
import type { DecideMemo, DataView as Known } from "./types.ts";

const claims: DataRef = { uri: "s3://acme/claims", sizeGiB: 600, mount: "/data", residency: [] };
const near = anOffer({ region: "eu-west-1", usd: "1.20" });
const far = anOffer({ region: "us-east-1", usd: "1.00" });
const weights = { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n };

function choose(data: Known | undefined, refs: DataRef[] = [claims], offers = [near, far]) {
	const snapshot = aSnapshot({ policy: aPolicy({ weights }), offers, ...(data ? { data } : {}) });
	const chosen = chooseFor(
		snapshot,
		aJob()
			.data(...refs)
			.build(),
	);
	return { ...chosen, estimate: chosen.choice.kind === "chosen" ? estimateOf(chosen.choice.row, chosen.run) : null };
}

const known = (part: Partial<Known> = {}): Known => ({
	replicas: new Map([[claims.uri, ["aws:eu-west-1"]]]),
	inboundMiBPerS: new Map([
		["aws:us-east-1", 1024],
		["aws:eu-west-1", 1024],
	]),
	...part,
});

describe("data location", () => {
	it("counts nothing while nothing is known", () => {
		expect(choose(undefined)).toMatchObject({ offerId: far.id, estimate: { stagingMs: 0, egressMicroUsd: 0 } });
	});

	it("makes the more expensive machine next to the copy the cheaper place: 600 GiB at 1 GiB/s take 10 min, and egress is $0.09 each", () => {
		const { offerId, estimate } = choose(known());
		expect(offerId).toBe(near.id);
		expect(estimate).toMatchObject({ stagingMs: 0, egressMicroUsd: 0, totalMicroUsd: 1_220_000 });
		const away = choose(known(), [claims], [far]).estimate;
		expect(away).toMatchObject({ stagingMs: 600 * SECOND_MS, egressMicroUsd: Number(usdToMicro("0.09")) * 600 });
		// staging is billed at the machine's price: 1 min boot + 10 min + 60 min
		expect(away?.billedMs).toBe(HOUR_MS + 11 * MINUTE_MS);
	});

	it("copies from home at the cost of time alone, at the slowest known speed if a place's is unknown", () => {
		const replicas = new Map([[claims.uri, ["aws:eu-west-1", "home-a"]]]);
		const { estimate } = choose(known({ replicas, inboundMiBPerS: new Map([["aws:eu-west-1", 512]]) }), [claims], [far]);
		expect(estimate).toMatchObject({ stagingMs: 1200 * SECOND_MS, egressMicroUsd: 0 });
	});

	it("holds and charges the listed price between regions of one cloud, and only holds the price to the internet where none is listed", () => {
		const staging = (regionTransfers?: Known["regionTransfers"]) =>
			openData({ data: known(regionTransfers && { regionTransfers }), offers: [near, far], nowMs: 0 }).staging([claims], "aws:us-east-1");
		const [listed, any] = [linkKey("aws:eu-west-1", "aws:us-east-1"), linkKey("aws:eu-west-1", ANY_PLACE)];
		for (const prices of [
			new Map([[any, 20_000]]),
			new Map([
				[listed, 20_000],
				[any, 30_000],
			]),
		])
			expect(staging(prices)).toMatchObject({
				egressMicroUsd: 12_000_000,
				reads: [{ uri: claims.uri, from: "aws:eu-west-1", microUsd: 12_000_000 }],
			});
		for (const prices of [undefined, new Map([[linkKey("aws:us-east-1", ANY_PLACE), 20_000]])])
			expect(staging(prices)).toMatchObject({ egressMicroUsd: 54_000_000, reads: [] });
	});

	it("assumes the highest egress price for a copy in a region without offers", () => {
		const replicas = new Map([[claims.uri, ["gcp:asia-east1"]]]);
		expect(choose(known({ replicas })).estimate?.egressMicroUsd).toBe(Number(usdToMicro("0.09")) * 600);
	});

	it("sends results home at the region's price, rounded up to a GiB", () => {
		expect(choose(known({ outGiB: 10.2 }), []).estimate).toMatchObject({ egressMicroUsd: 11 * 90_000 });
	});

	it("gives the instance a life long enough for staging", () => {
		const slow = known({ inboundMiBPerS: new Map([["aws:us-east-1", 10]]) });
		const snapshot = aSnapshot({ offers: [far], data: slow });
		const { choice } = chooseFor(snapshot, aJob().max(HOUR_MS).data(claims).build());
		expect(choice).toMatchObject({ lifeMs: HOUR_MS + 61_440 * SECOND_MS + 2 * MINUTE_MS + 2 * MINUTE_MS });
	});
});

describe("data that only home can read", () => {
	const rows: DataRef = { uri: "file:///data/rows", sizeGiB: 1, mount: "/data", residency: [] };

	it("keeps a job out of every region without a copy, and says so", () => {
		const { offerId, shape } = choose(known({ filesStayHome: true }), [rows]);
		expect(offerId).toBeNull();
		expect(shape.offers().removed).toMatchObject([{ why: "data_at_home", count: 2, ruleId: null, facts: { uri: rows.uri } }]);
	});

	it("is readable by every machine if all of them are one host", () => {
		expect(choose(known(), [rows]).offerId).not.toBeNull();
	});

	it("allows a region once a copy is known, in the same cycle", () => {
		const job = aJob("a").data(rows).build();
		const policy = aPolicy({ weights });
		const memo: DecideMemo = { kept: new Map() };
		const at = (data?: Known) =>
			decide(aSnapshot({ policy, pools: [], offers: [near, far], pending: [job], ...(data ? { data } : {}) }), { memo }).actions;
		expect(at(known({ filesStayHome: true }))).not.toContainEqual(expect.objectContaining({ kind: "launch" }));
		expect(at(known({ filesStayHome: true, replicas: new Map([[rows.uri, ["aws:eu-west-1"]]]) }))).toMatchObject([
			{ kind: "launch", offer: { id: near.id } },
		]);
	});
});

describe("residency", () => {
	const bound = { ...claims, residency: ["eu"] };

	it("excludes regions outside the area without any rule, and says so", () => {
		const { offerId, shape } = choose(undefined, [bound]);
		expect(offerId).toBe(near.id);
		expect(shape.offers().removed).toMatchObject([
			{ why: "residency", count: 1, ruleId: null, facts: { residency: "eu", region: "us-east-1" } },
		]);
		expect(choose(undefined, [bound], [far]).offerId).toBeNull();
	});

	it("does not restrict owned pools: the data stays with the company there", () => {
		const plan = decide(aSnapshot({ pools: [aPool()], offers: [far], pending: [aJob("a").data(bound).build()] }));
		expect(plan.actions).toMatchObject([{ kind: "place_home" }]);
	});
});
