import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { aReplayOffer, aReplayPolicy } from "../replay/testing/small.ts";
import { shortagesOf, spotRecord } from "./capacity.ts";
import type { LaunchRecord } from "./history.ts";
import { priceSteps } from "./price-steps.ts";
import { runBacktest } from "./run-backtest.ts";
import { aHistory, aHistoryJob, aSpec, FROM_MS } from "./testing/small.ts";

const BURST = aReplayPolicy("    - { id: go, burst: { always: true } }");

function aLaunch(given: Partial<LaunchRecord> = {}): LaunchRecord {
	const at = FROM_MS + HOUR_MS;
	return { offerId: "od", spot: false, intendedAtMs: at, launchedAtMs: at, endedAtMs: at + HOUR_MS, end: "other", ...given };
}

describe("recorded shortages", () => {
	const refused = (atMs: number) => aLaunch({ intendedAtMs: atMs, launchedAtMs: null, endedAtMs: atMs + 1_000, end: "refused" });
	it("start a minute before a refusal and end at the next successful launch", () => {
		const at = FROM_MS + HOUR_MS;
		const launches = [refused(at), refused(at + 5 * MINUTE_MS), aLaunch({ intendedAtMs: at + 20 * MINUTE_MS })];
		expect(shortagesOf(launches).get("od")).toEqual([{ fromMs: at - MINUTE_MS, toMs: at + 20 * MINUTE_MS }]);
	});
	it("end an hour after the last refusal when no launch succeeded, and start after the last one that did", () => {
		const at = FROM_MS + HOUR_MS;
		const launches = [aLaunch({ intendedAtMs: at - 10_000 }), refused(at), refused(at + 30 * MINUTE_MS)];
		expect(shortagesOf(launches).get("od")).toEqual([{ fromMs: at - 9_999, toMs: at + 90 * MINUTE_MS }]);
	});
	it("cause the same refusals in a replay", () => {
		const at = FROM_MS + HOUR_MS;
		const long = aHistoryJob("long", {
			ms: 10 * HOUR_MS,
			spec: aSpec({ name: "long", duration: { estimateMs: 10 * HOUR_MS, maxMs: null } }),
		});
		const offers = [aReplayOffer("od", { usd: "10", gpus: 1 }), aReplayOffer("dear", { usd: "20", gpus: 1 })];
		const jobs = [long, aHistoryJob("b", { afterMs: HOUR_MS + MINUTE_MS })];
		const place = (launches: LaunchRecord[]) =>
			runBacktest(aHistory({ jobs, offers, launches }), { published: aReplayPolicy(""), draft: BURST }).moved.map((m) => m.draft.place);
		expect(place([])).toEqual(["aws od x1 on-demand"]);
		expect(place([refused(at)])).toEqual(["aws dear x1 on-demand"]);
	});
});

describe("the record of spot instances", () => {
	it("uses an offer's own rate once it has a day of data, and the overall rate until then", () => {
		const at = FROM_MS;
		const launches = [
			aLaunch({ offerId: "a", spot: true, launchedAtMs: at, endedAtMs: at + 30 * HOUR_MS, end: "interrupted" }),
			aLaunch({ offerId: "b", spot: true, launchedAtMs: at, endedAtMs: at + 10 * HOUR_MS, end: "other" }),
		];
		const { instanceHours, interruptions, perHour } = spotRecord(launches, ["a", "b", "c"], at + 100 * HOUR_MS);
		expect([instanceHours, interruptions]).toEqual([40, 1]);
		expect([perHour.get("a"), perHour.get("b"), perHour.get("c")]).toEqual([1 / 30, 1 / 40, 1 / 40]);
	});
});

describe("recorded prices", () => {
	const offers = [aReplayOffer("od", { usd: "10", gpus: 1 })];
	const at = (hours: number, usd: string) => ({ atMs: FROM_MS + hours * HOUR_MS, microUsdPerHour: usdToMicro(usd) });
	it("start with the last price before the period, and end with the period", () => {
		const history = aHistory({ offers, prices: new Map([["od", [at(-9, "1"), at(-3, "2"), at(4, "3"), at(50, "4")]]]) });
		expect(priceSteps(history)).toEqual({ prices: new Map([["od", [at(0, "2"), at(4, "3")]]]), stepMs: null, knownShare: 1 });
	});
	it("start with the first price, and only the time after it counts as known", () => {
		const history = aHistory({ offers, prices: new Map([["od", [at(3, "2"), at(6, "3")]]]) });
		expect(priceSteps(history)).toEqual({ prices: new Map([["od", [at(0, "2"), at(6, "3")]]]), stepMs: null, knownShare: 0.75 });
	});
	it("change in steps when they changed at too many moments", () => {
		const many = Array.from({ length: 1_200 }, (_, i) => at(i / 100, String(1 + (i % 7))));
		const { prices, stepMs } = priceSteps(aHistory({ offers, prices: new Map([["od", many]]) }));
		expect(stepMs).toBe((12 * HOUR_MS) / 600);
		const changes = prices.get("od") ?? [];
		expect(changes.length).toBeLessThanOrEqual(601);
		expect(changes.every(({ atMs }) => (atMs - FROM_MS) % (stepMs ?? 1) === 0)).toBe(true);
	});
});

describe("recorded jobs", () => {
	const pair = { published: BURST, draft: BURST };
	it("leave when they were cancelled before running, and count in no mean wait", () => {
		const jobs = [
			aHistoryJob("a", { ms: 3 * HOUR_MS }),
			aHistoryJob("b", { afterMs: 1, work: { kind: "unknown" }, withdrawnAtMs: FROM_MS + HOUR_MS }),
			aHistoryJob("c", { afterMs: 2 }),
		];
		const { published } = runBacktest(aHistory({ jobs }), pair);
		expect(published.waits).toEqual([{ team: "vision", class: "burst", jobs: 2, meanWaitMs: Math.round((3 * HOUR_MS - 2) / 2) }]);
	});
	it("resume with the remaining work when they started earlier, and count in no wait", () => {
		const carried = aHistoryJob("a", { afterMs: -5 * HOUR_MS, work: { kind: "recorded", ms: 6 * HOUR_MS, beforeMs: 4 * HOUR_MS } });
		const { published, gaps } = runBacktest(aHistory({ jobs: [carried, aHistoryJob("b")] }), pair);
		expect([published.jobs, published.meanWaitMs, published.ownedGpuHours]).toEqual([1, 2 * HOUR_MS, 3]);
		expect(gaps.join(" ")).toContain("1 job from before start again");
	});
	it("end at their maximum run time", () => {
		const spec = aSpec({ name: "a", duration: { estimateMs: HOUR_MS, maxMs: 2 * HOUR_MS } });
		const { published } = runBacktest(aHistory({ jobs: [aHistoryJob("a", { spec, ms: 9 * HOUR_MS })] }), pair);
		expect(published.ownedGpuHours).toBe(2);
	});
	it("stay held when no one approved them, and the gaps report it", () => {
		const ask = {
			id: "ask",
			when: "quote.costUsd > 5.0",
			line: 9,
			effect: { kind: "require", capacityType: null, approval: "platform" },
		} as const;
		const asks = { ...BURST, rules: [...BURST.rules, ask] };
		const offers = [aReplayOffer("od", { usd: "10", gpus: 1 })];
		const long = aHistoryJob("long", { ms: 20 * HOUR_MS });
		const given = aHistoryJob("given", { afterMs: 1, approvedMicroUsd: usdToMicro("50") });
		const { draft, moved, gaps } = runBacktest(aHistory({ jobs: [long, given, aHistoryJob("not", { afterMs: 2 })], offers }), {
			published: BURST,
			draft: asks,
		});
		expect(draft.askedForApproval).toBe(1);
		expect(moved.map(({ jobId }) => jobId)).toEqual(["not"]);
		expect(gaps.join(" ")).toContain("1 job asked for an approval that no one gave then");
	});
	it("are reported as missing when there are none", () => {
		expect(runBacktest(aHistory({ firstJobAtMs: null }), pair).gaps[0]).toBe("No job was recorded in this time.");
	});
});
