import { describe, expect, it } from "vitest";
import { REASON_CODES, reason } from "./reasons.ts";
import { waitingChanges } from "./waiting-changes.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const home = { startP50Ms: NOON, startP90Ms: NOON + HOUR };
const said = (...of: Parameters<typeof reason>) => waitingChanges(reason(...of)).map((c) => `${c.by}: ${c.sentence}`);

describe("what would change that a job waits", () => {
	it("is a slot at home, and the rule that would let it leave", () => {
		expect(said("waiting_for_home", { ...home, ahead: 3, ruleId: "burst-on-wait", thresholdMs: HOUR / 2 })).toEqual([
			"time: Owned GPUs become free: expected 2026-11-21 12:00 UTC, 90% by 2026-11-21 13:00 UTC, after 3 jobs.",
			"time: It bursts by rule burst-on-wait once the forecast wait for owned GPUs exceeds 30m.",
		]);
		expect(said("waiting_for_home", { ...home, ahead: 0, cloudCause: "site_denied", cloudRuleId: "stays-home", denied: "cloud" })[1]).toBe(
			"policy: A cloud offer without this problem: rule stays-home denies the cloud.",
		);
		expect(said("waiting_for_home", { ...home, homeScoreMicroUsd: "2000000", cloudScoreMicroUsd: "5500000" })[1]).toBe(
			"time: It bursts once waiting costs more than the best offer ($5.50). Waiting costs $2.00 now.",
		);
		expect(said("waiting_for_home", { ...home, evicted: 1, preemptRuleId: "room" })).toEqual([
			"time: 1 running job will make room for it, by 2026-11-21 12:00 UTC.",
		]);
	});

	it("is time, money, people or another policy", () => {
		expect(said("waiting_to_burst", { ruleId: "burst-on-wait", dueInMs: 12 * 60_000 })).toEqual([
			"time: In 12m, rule burst-on-wait lets it burst.",
		]);
		expect(said("budget_exceeded", { budgetId: "cloud-month", missingMicroUsd: "12500000" })).toEqual([
			"money: $12.50 more in budget cloud-month: from a higher cap, or from work that costs less than was reserved for it.",
		]);
		expect(said("approval_required", { ruleId: "ask-first", costMicroUsd: "120000000" })).toEqual([
			"people: Approval of $120.00, required by rule ask-first.",
		]);
		expect(
			said("waiting_no_allowed_offer", { cause: "region_not_allowed", ruleId: "eu", region: "us-east-1", allowed: "aws:eu-*" }),
		).toEqual(["policy: A cloud offer without this problem: rule eu does not allow region us-east-1 (only aws:eu-*)."]);
		expect(said("deferred_greener_hour", { untilMs: NOON, ruleId: "green" })).toEqual([
			"time: It starts at 2026-11-21 12:00 UTC.",
			"policy: Without rule green it would start now.",
		]);
	});

	it("exists for every reason to wait, even with missing facts, and for no reason to run or end", () => {
		const waits = REASON_CODES.slice(0, REASON_CODES.indexOf("placed_home"));
		for (const code of REASON_CODES) {
			for (const change of waitingChanges(reason(code))) expect(change.sentence).not.toMatch(/undefined|null|NaN/);
			if (!waits.includes(code)) expect(waitingChanges(reason(code))).toEqual([]);
			else
				expect(
					waitingChanges(reason(code, { ...home, untilMs: NOON, dueInMs: 1, missingMicroUsd: "1", cause: "price_stale" })).length,
					code,
				).toBeGreaterThan(0);
		}
	});
});
