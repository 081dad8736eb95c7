import { describe, expect, it } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, denyRule, NOON_MS } from "./testing/builders.ts";
import type { Snapshot } from "./types.ts";

type TestRule = [string, null, RuleEffect];
const LEAVE: TestRule = ["leave", null, burstRule({ always: true })];
const SPOT: TestRule = ["spot-for-experiments", null, { kind: "require", capacityType: "spot", approval: null }];
const HOME: TestRule = ["stays-home", null, denyRule({ sites: ["cloud"] })];
const regions = ["us-east-1", "us-west-2", "eu-west-1"];
const onDemand = regions.map((region) => anOffer({ region }));
const spot = anOffer({ capacityType: "spot", usd: "0.4", onDemandMicroUsdPerHour: usdToMicro(1) });

/** Why a job waits for a busy home under these rules. */
function whyOf(rules: TestRule[], given: Partial<Snapshot> = {}) {
	const pools = [aPool({ freeSlots: [] })];
	const running = [aJob("older").gpus(4).running("home-a", [0, 1, 2, 3], 0)];
	const policy = aPolicy({ rules: [LEAVE, ...rules] });
	const snapshot = aSnapshot({ pools, running, policy, offers: [...onDemand, spot], pending: [aJob("a").build()], ...given });
	const waiting = decide(snapshot).waiting.get("job_a");
	if (!waiting) throw new Error("the job of the test does not wait");
	return waiting;
}

describe("the main reason that excludes every offer", () => {
	it("is the rule that excludes the most offers by itself: lifting the spot requirement of a job that must stay changes nothing", () => {
		for (const rules of [
			[SPOT, HOME],
			[HOME, SPOT],
		]) {
			expect(whyOf(rules).facts).toMatchObject({ cloudCause: "site_denied", cloudRuleId: "stays-home" });
		}
		expect(sentenceOf(whyOf([SPOT, HOME]))).toContain("rule stays-home");
	});

	it("counts the offers that would return: one region's offer against two", () => {
		const one: TestRule = ["a-no-us-east", null, denyRule({ regions: ["aws:us-east-1"] })];
		const two: TestRule = ["z-no-others", null, denyRule({ regions: ["aws:us-west-2", "aws:eu-west-1"] })];
		expect(whyOf([one, two], { offers: onDemand }).facts).toMatchObject({ cloudRuleId: "z-no-others" });
		expect(whyOf([two, one], { offers: onDemand }).facts).toMatchObject({ cloudRuleId: "z-no-others" });
	});

	it("is an untrusted price when lifting any rule would return nothing", () => {
		const stale = onDemand.map((offer) => ({ ...offer, priceObservedAtMs: NOON_MS - 1_000 * DAY_MS }));
		const noEast: TestRule = ["no-us-east", null, denyRule({ regions: ["aws:us-east-1"] })];
		expect(whyOf([noEast], { offers: stale }).facts).toMatchObject({ cause: "price_stale", ruleId: null, removedByCause: 2 });
	});
});
