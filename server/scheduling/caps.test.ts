import { describe, expect, it } from "vitest";
import type { CapRule } from "#server/domain/policy.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule } from "./testing/builders.ts";
import type { RunningAttempt, Snapshot } from "./types.ts";

const at = (id: string, scope = "true") => ({ id, scope, line: 9 });
const burn = (usd: number, scope?: string): CapRule => ({ ...at("burn", scope), kind: "burn_rate", microUsdPerHour: usdToMicro(usd) });
const instances = (count: number, scope?: string): CapRule => ({ ...at("machines", scope), kind: "instances", count });
const always: Parameters<typeof aPolicy>[0] = { rules: [["leave", null, burstRule({ always: true })]] };
const full = { pools: [aPool({ freeSlots: [] })] };
const offer = anOffer({ usd: "4", gangs: true });

/** A live attempt in the cloud. */
function inCloud(name: string, part: Partial<RunningAttempt> = {}, team = "risk"): RunningAttempt {
	const attempt = aJob(name).team(team).running("home-a", [], 0);
	return { ...attempt, placement: { ...attempt.placement, capacityType: "on_demand", provider: "aws", poolId: null }, ...part };
}

function outcome(caps: CapRule[], given: Partial<Snapshot> = {}) {
	const pending = [aJob("a").waited(2).build(), aJob("b").waited(1).build()];
	const plan = decide(aSnapshot({ ...full, policy: aPolicy({ ...always, caps }), pending, offers: [offer], ...given }));
	return {
		launched: plan.actions.filter((a) => a.kind === "launch").map((a) => a.jobId),
		reason: plan.waiting.get("job_b") ?? plan.waiting.get("job_a"),
	};
}

describe("caps", () => {
	it("on the hourly rate allow what fits, count running work, and name themselves to excluded jobs", () => {
		const { launched, reason } = outcome([burn(10)], { running: [inCloud("x", { microUsdPerHour: usdToMicro(3) })] });
		expect(launched).toEqual(["job_a"]); // 3 + 4 of 10; then 7 + 4
		expect(reason).toMatchObject({
			code: "cap_exceeded",
			facts: { capId: "burn", usedHourlyMicroUsd: "7000000", askedHourlyMicroUsd: "4000000" },
		});
		expect(reason && sentenceOf(reason)).toMatch(
			/^Waiting: cap burn allows \$10.00 per hour, \$7.00 per hour in use, and this adds \$4.00 per hour/,
		);
	});

	it("allow exactly their limit", () => {
		expect(outcome([burn(8)]).launched).toEqual(["job_a", "job_b"]);
		expect(outcome([instances(2)]).launched).toEqual(["job_a", "job_b"]);
		expect(outcome([instances(0)]).launched).toEqual([]);
	});

	it("count a running machine with an unknown price at the highest known price", () => {
		const dear = anOffer({ region: "eu-west-1", usd: "9" });
		expect(outcome([burn(13)], { running: [inCloud("x")], offers: [offer, dear] }).launched).toEqual(["job_a"]);
		expect(outcome([burn(12)], { running: [inCloud("x")], offers: [offer, dear] }).launched).toEqual([]);
		expect(outcome([burn(12)], { running: [inCloud("x", { offerId: offer.id })], offers: [offer, dear] }).launched).toEqual([
			"job_a",
			"job_b",
		]);
	});

	it("apply in nested scopes, and only to jobs in their scope", () => {
		const caps = [instances(5), { ...instances(1, 'job.team == "risk"'), id: "risk" }];
		const pending = [aJob("a").waited(2).build(), aJob("b").waited(1).build(), aJob("c").team("vision").build()];
		expect(outcome(caps, { pending })).toMatchObject({
			launched: ["job_a", "job_c"],
			reason: { facts: { capId: "risk", usedInstances: 1 } },
		});
		expect(outcome(caps, { pending, running: [inCloud("x", {}, "vision")] }).launched).toEqual(["job_a", "job_c"]);
		expect(outcome(caps, { pending, running: [inCloud("x")] }).launched).toEqual(["job_c"]);
	});

	it("count every machine of a gang, including stopping ones, and none at home", () => {
		const pending = [aJob("a").nodes(3).build()];
		expect(outcome([instances(3)], { pending }).launched).toEqual(["job_a"]);
		expect(outcome([instances(3)], { pending, running: [inCloud("x", { stopping: true })] }).launched).toEqual([]);
		expect(outcome([instances(3)], { pending, running: [aJob("x").running("home-a", [0], 0)] }).launched).toEqual(["job_a"]);
	});

	it("take a cheaper offer that fits the rate", () => {
		// with carbon the cheaper one is worse: 1 kW × 1000 g/kWh × $10,000/t = $10 an hour
		const weights = { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: usdToMicro(10_000) };
		const brown = anOffer({ region: "eu-west-1", usd: "2", gridGramsPerKwh: 1000, pue: 1 });
		const green = { ...offer, gridGramsPerKwh: 0 };
		const given = { pending: [aJob("a").build()], offers: [green, brown], boardWatts: { "A10G-24GB": 1000 } };
		const launchOf = (usd: number) =>
			decide(aSnapshot({ ...full, ...given, policy: aPolicy({ ...always, weights, caps: [burn(usd)] }) })).actions.find(
				(a) => a.kind === "launch",
			);
		expect(launchOf(4)).toMatchObject({ offer: { id: green.id } });
		expect(launchOf(3)).toMatchObject({ offer: { id: brown.id } });
	});

	it("on egress count what left this period and what the run sends home", () => {
		const cap: CapRule = { ...at("egress"), kind: "egress", period: "month", gib: 100 };
		const data = { replicas: new Map(), inboundMiBPerS: new Map(), outGiB: 30 };
		const egressGiB = new Map([["egress", 40]]);
		expect(outcome([cap], { data, egressGiB }).launched).toEqual(["job_a", "job_b"]);
		expect(outcome([cap], { data, egressGiB: new Map([["egress", 41]]) })).toMatchObject({
			launched: ["job_a"],
			reason: { facts: { capGiB: 100, usedGiB: 71, askedGiB: 30 } },
		});
	});
});
