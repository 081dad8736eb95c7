import { describe, expect, it } from "vitest";
import type { RuleEffect } from "#server/domain/policy.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, NOON_MS } from "./testing/builders.ts";
import type { Snapshot } from "./types.ts";

const offer = anOffer({ usd: "1.00" });
/** Four busy slots that become free in an hour. */
const full = { pools: [aPool({ freeSlots: [] })], running: [0, 1, 2, 3].map((slot) => aJob(`old-${slot}`).running("home-a", [slot], 0)) };
const rule = (id: string, part: Partial<Extract<RuleEffect, { kind: "burst" }>>): [string, null, RuleEffect] => [id, null, burstRule(part)];
const free = { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n };

function run(rules: [string, null, RuleEffect][], given: Partial<Snapshot> & { weights?: typeof free } = {}) {
	const { weights = free, ...rest } = given;
	const policy = aPolicy({ rules, weights });
	const plan = decide(aSnapshot({ ...full, policy, offers: [offer], pending: [aJob("a").build()], ...rest }), {
		explain: new Set(["job_a"]),
	});
	const launch = plan.actions.find((a) => a.kind === "launch");
	return { launch, reason: plan.waiting.get("job_a"), explanation: plan.explanations.find((e) => e.jobId === "job_a") };
}

describe("limits of a burst rule", () => {
	it("apply to the estimated cost: 61 min at $1.00", () => {
		const limited = (usd: string) => run([rule("cheap", { always: true, costAtMostMicroUsd: usdToMicro(usd) })]);
		expect(limited("1.016667").launch).toBeDefined();
		const { launch, reason, explanation } = limited("1.016666");
		expect(launch).toBeUndefined();
		expect(reason).toMatchObject({
			code: "waiting_no_allowed_offer",
			facts: { cause: "burst_cost_limit", ruleId: "cheap", removedByCause: 1 },
		});
		const removed = explanation?.removed.find((g) => g.why === "burst_cost_limit")?.cheapest.removedBy;
		expect(removed && removalSentenceOf(removed)).toBe("It is expected to cost $1.02, but rule cheap allows $1.02.");
	});

	it("apply to the data to copy; an unknown size is too much", () => {
		const limited = (sizeGiB: number | null) =>
			run([rule("light", { always: true, dataAtMostGiB: 100 })], {
				pending: [aJob("a").data({ uri: "s3://acme/x", sizeGiB, mount: "/x", residency: [] }).build()],
			});
		expect(limited(100).launch).toBeDefined();
		expect(limited(101).reason?.facts["cause"]).toBe("burst_data_limit");
		expect(limited(null).reason && sentenceOf(limited(null).reason ?? { code: "submitted", facts: {} })).toContain("data of unknown size");
	});

	it("do not restrict what a later rule allows without limits, or what another rule's limits allow", () => {
		const cheap = rule("cheap", { always: true, costAtMostMicroUsd: 1n });
		expect(run([cheap, rule("waited", { waitedMs: MINUTE_MS })]).launch).toBeUndefined();
		const waited = [
			aJob("a")
				.waited(2 * MINUTE_MS)
				.build(),
		];
		expect(run([cheap, rule("waited", { waitedMs: MINUTE_MS })], { pending: waited }).launch?.reason.facts["ruleId"]).toBe("waited");
		expect(run([cheap, rule("dear", { always: true, costAtMostMicroUsd: usdToMicro(2) })]).launch).toBeDefined();
	});
});

describe("waiting compared with leaving", () => {
	const weights = (usd: number) => ({ delayMicroUsdPerHour: usdToMicro(usd), carbonMicroUsdPerTonne: 0n });
	const wait = [rule("on-wait", { forecastWaitMs: MINUTE_MS })];

	it("stays when an hour's delay costs no more than the offer: $1.0167 + 1 min of delay", () => {
		const { launch, reason } = run(wait, { weights: weights(1) });
		expect(launch).toBeUndefined();
		expect(reason).toMatchObject({
			code: "waiting_for_home",
			facts: { ruleId: "on-wait", homeScoreMicroUsd: "1000000", cloudScoreMicroUsd: "1033333" },
		});
		expect(reason && sentenceOf(reason)).toContain("but waiting costs $1.00 and the best offer $1.03");
		// break-even: w = 1.0167 + w/60
		expect(run(wait, { weights: weights(1.03) }).launch).toBeUndefined();
		expect(run(wait, { weights: weights(1.04) }).launch).toBeDefined();
	});

	it("leaves at any cost when delay has no weight, when the rule is immediate, or for a deadline", () => {
		const dear = { offers: [anOffer({ usd: "500" })] };
		expect(run(wait, dear).launch).toBeDefined();
		expect(run([rule("at-once", { always: true })], { ...dear, weights: weights(1) }).launch).toBeDefined();
		const pending = [
			aJob("a")
				.deadline(NOON_MS + 2 * HOUR_MS)
				.build(),
		];
		expect(run([rule("deadline", { deadlineSlackMs: HOUR_MS })], { ...dear, weights: weights(1), pending }).launch).toBeDefined();
	});

	it("uses a rule's waiting budget instead of the policy's weight, even a budget of 0", () => {
		const budget = (usd: string) => [rule("budget", { waitingMicroUsdPerGpuHour: usdToMicro(usd) })];
		const { launch, reason } = run(budget("1"), { weights: weights(100) });
		expect(launch).toBeUndefined();
		expect(reason?.facts).toMatchObject({ ruleId: "budget", homeScoreMicroUsd: "1000000", cloudScoreMicroUsd: "1033333" });
		expect(run(budget("0"), { weights: weights(100) }).launch).toBeUndefined();
		const leaving = run(budget("1.04"), { weights: weights(0) }).launch;
		expect(leaving?.reason.facts).toMatchObject({ trigger: "waiting_budget", ruleId: "budget" });
		expect(leaving && sentenceOf(leaving.reason)).toContain("waiting for home, at $1.04 per GPU-hour, costs more");
	});

	it("neither holds a job nor requests approval when it would wait anyway", () => {
		const policy = aPolicy({ rules: wait, budgets: [{ id: "none", capMicroUsd: 0n }], weights: weights(1) });
		const plan = decide(aSnapshot({ ...full, policy, offers: [offer], pending: [aJob("a").build()] }));
		expect(plan.actions).toEqual([]);
		expect(plan.waiting.get("job_a")?.code).toBe("waiting_for_home");
	});

	it("compares nothing when no pool can run the job", () => {
		expect(run(wait, { weights: weights(0.01), pools: [], running: [] }).launch).toBeDefined();
	});
});
