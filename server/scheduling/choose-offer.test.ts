import { describe, expect, it } from "vitest";
import type { ApprovalAnswer } from "#server/domain/approval.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, BURST_AFTER_10S, denyRule, NOON_MS } from "./testing/builders.ts";
import type { Plan, Snapshot } from "./types.ts";

/** Delay has no weight: only the rule decides whether to burst. */
const weights = { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: usdToMicro(80) };
const full = { pools: [aPool({ freeSlots: [] })], running: [0, 1, 2, 3].map((slot) => aJob(`old-${slot}`).running("home-a", [slot], 0)) };

function decideOne(
	offers: Offer[],
	given: Partial<Snapshot> = {},
): { plan: Plan; explanation: Explanation | undefined; launched: string | null } {
	const plan = decide(aSnapshot({ ...full, pending: [aJob("a").build()], policy: aPolicy({ weights }), offers, ...given }), {
		explain: new Set(["job_a"]),
	});
	const launch = plan.actions.find((a) => a.kind === "launch");
	return {
		plan,
		explanation: plan.explanations.find((e) => e.jobId === "job_a"),
		launched: launch?.kind === "launch" ? launch.offer.id : null,
	};
}

const good = anOffer({ region: "good", usd: "5" });
const removals: [string, Partial<Offer> & { usd?: string | null }][] = [
	["price_missing", { usd: null }],
	["price_zero", { usd: "0" }],
	["price_stale", { priceObservedAtMs: NOON_MS - DAY_MS - 1 }],
	["spot_not_cheaper", { capacityType: "spot", usd: "1", onDemandMicroUsdPerHour: usdToMicro(1) }],
	["capacity_backoff", { backoffUntilMs: NOON_MS + 1, backoffReason: "quota_exceeded" }],
	["hardware_gpus", { gpus: 0 }],
	["hardware_accelerator", { accelerator: "T4-16GB" }],
	["hardware_cpus", { vcpus: 3 }],
	["hardware_memory", { memoryGiB: 15 }],
	["region_denied", { region: "us-gov-1" }],
];

describe("an offer that is cheapest by mistake or unavailable", () => {
	it.each(removals)("is excluded with %s, and the next one is used", (why, part) => {
		const bad = anOffer({ region: "bad", usd: "0.01", ...part });
		const policy = aPolicy({ weights, rules: [BURST_AFTER_10S, ["no-gov", null, denyRule({ regions: ["aws:us-gov-*"] })]] });
		const pending = [aJob("a").accelerators("A10G-24GB").cpus(4).memoryGiB(16).build()];
		const { launched, explanation } = decideOne([bad, good], { policy, pending });
		expect(launched).toBe(good.id);
		expect(explanation?.removed).toMatchObject([{ why, count: 1, cheapest: { offerId: bad.id, outcome: "removed", removedBy: { why } } }]);
	});

	it("is skipped until the back-off from this job's last attempt ends", () => {
		const cheap = anOffer({ region: "bad", usd: "0.01" });
		const avoiding = (untilMs: number) => [aJob("a").avoids(cheap.id, untilMs).build()];
		expect(decideOne([cheap, good], { pending: avoiding(NOON_MS + 1) }).launched).toBe(good.id);
		expect(decideOne([cheap, good], { pending: avoiding(NOON_MS) }).launched).toBe(cheap.id);
	});

	it("makes the job wait, with the end of the back-off, when every offer is in back-off", () => {
		const offers = [anOffer({ backoffUntilMs: NOON_MS + HOUR_MS }), anOffer({ region: "b", backoffUntilMs: NOON_MS + MINUTE_MS })];
		expect(decideOne(offers).plan.waiting.get("job_a")).toMatchObject({
			code: "capacity_backoff",
			facts: { untilMs: NOON_MS + MINUTE_MS },
		});
	});

	it("reports untrusted prices when no price can be trusted", () => {
		expect(decideOne([anOffer({ usd: null })]).plan.waiting.get("job_a")).toMatchObject({
			code: "waiting_no_allowed_offer",
			facts: { cause: "price_missing", removedByCause: 1 },
		});
	});
});

describe("the order of offers", () => {
	it("counts carbon: 1 h + 1 min boot at 5 kg/h × $80/t is more expensive than 30 cents more", () => {
		const brown = anOffer({ region: "brown", usd: "1.00", gridGramsPerKwh: 1000, pue: 1 });
		const green = anOffer({ region: "green", usd: "1.30", gridGramsPerKwh: 10, pue: 1 });
		const given = { policy: aPolicy({ weights }), boardWatts: { "A10G-24GB": 5000 } };
		expect(decideOne([brown, green], given).launched).toBe(green.id);
		expect(decideOne([brown, green], { ...given, policy: aPolicy({ weights: { ...weights, carbonMicroUsdPerTonne: 0n } }) }).launched).toBe(
			brown.id,
		);
	});

	it("counts an unknown grid as the dirtiest known one, and shows it as unknown", () => {
		const unknown = anOffer({ region: "unknown", usd: "1.00", gridGramsPerKwh: null });
		const green = anOffer({ region: "green", usd: "1.10", gridGramsPerKwh: 10, pue: 1 });
		const brown = anOffer({ region: "brown", usd: "9.00", gridGramsPerKwh: 1000, pue: 1 });
		const { launched, explanation } = decideOne([unknown, green, brown], {
			policy: aPolicy({ weights }),
			boardWatts: { "A10G-24GB": 5000 },
		});
		expect(launched).toBe(green.id);
		expect(explanation?.candidates.find((c) => c.offerId === unknown.id)?.emissionsGrams).toBeNull();
	});

	it("skips an offer with a worst case over the budget", () => {
		const policy = aPolicy({
			rules: [BURST_AFTER_10S],
			budgets: [{ id: "month" }],
			weights,
		});
		const green = anOffer({ region: "green", usd: "1.30", gridGramsPerKwh: 10, pue: 1 });
		const brown = anOffer({ region: "brown", usd: "1.00", gridGramsPerKwh: 1000, pue: 1 });
		const given = {
			policy,
			boardWatts: { "A10G-24GB": 5000 },
			pending: [aJob("a").max(HOUR_MS).build()],
			budgets: [aBudget("month", { cap: "1.5" })],
		};
		// hold for 77 min: green $1.67, brown $1.28
		const { launched, explanation } = decideOne([green, brown], given);
		expect(launched).toBe(brown.id);
		expect(explanation?.candidates.map((c) => [c.offerId ?? "home", c.outcome, c.removedBy?.why ?? null])).toEqual([
			["home", "passes", null],
			[green.id, "removed", "budget_exceeded"],
			[brown.id, "chosen", null],
		]);
	});
});

describe("approval", () => {
	const policy = aPolicy({
		weights,
		rules: [BURST_AFTER_10S, ["ask-first", "quote.costUsd > 10", { kind: "require", capacityType: null, approval: "platform" }]],
	});
	const dear = [anOffer({ usd: "100" })];

	it("holds the job, naming the rule, the role and the amount", () => {
		const { plan, explanation } = decideOne(dear, { policy });
		// 61 min × $100/h
		const facts = { ruleId: "ask-first", role: "platform", costMicroUsd: "101666667", approvedMicroUsd: null };
		expect(plan.actions).toMatchObject([{ kind: "hold", reason: { code: "approval_required", facts } }]);
		expect(explanation?.verdict).toBe("needs_approval");
	});

	it("continues once a person approved at least the estimate", () => {
		expect(decideOne(dear, { policy, pending: [aJob("a").held().approved(102).build()] }).launched).toBe(dear[0]?.id);
		expect(decideOne(dear, { policy, pending: [aJob("a").held().approved(101).build()] }).launched).toBeNull();
	});

	it("is not needed for a cheaper offer", () => {
		expect(decideOne([...dear, good], { policy }).launched).toBe(good.id);
	});
});

describe("answers to approval rules", () => {
	const ask = (id: string, when: string, approval: "platform" | "finance") =>
		[id, when, { kind: "require", capacityType: null, approval }] as const;
	const policy = aPolicy({
		weights,
		rules: [BURST_AFTER_10S, [...ask("a", "quote.costUsd > 10", "platform")], [...ask("b", "true", "finance")]],
	});
	const dear = [anOffer({ usd: "100" })];
	// 61 min × $100/h
	const COST = 101_666_667n;
	const said = (
		ruleId: string,
		answer: ApprovalAnswer["answer"],
		upToMicroUsd: bigint | null = null,
		askedMicroUsd = COST,
	): ApprovalAnswer => ({
		...{ ruleId, answer, upToMicroUsd, askedMicroUsd },
	});
	const given = (...approvals: ApprovalAnswer[]) =>
		decideOne(dear, { policy, pending: [{ ...aJob("a").build(), approvals, approvedMicroUsd: usdToMicro(1_000) }] });

	it("are requested rule by rule, with the placement that each rule stopped", () => {
		const { plan } = given();
		expect(plan.asks?.get("job_a")).toMatchObject({
			...{ ruleId: "a", role: "platform" },
			quote: { costMicroUsd: String(COST), hourlyMicroUsd: "100000000", placement: { provider: "aws" } },
		});
		expect(given(said("a", "granted", COST)).plan.asks?.get("job_a")).toMatchObject({ ruleId: "b", role: "finance" });
		expect(given(said("a", "granted", COST), said("b", "granted", COST)).launched).toBe(dear[0]?.id);
	});

	it.each<[string, ApprovalAnswer]>([
		["a no", said("a", "refused")],
		["a timeout", said("a", "expired")],
		["approval for less capacity", said("a", "granted", COST - 1n)],
	])("%s keeps the job at home without another request", (_what, answer) => {
		const { plan, launched } = given(answer);
		expect([launched, plan.asks, plan.actions]).toEqual([null, undefined, []]);
		expect(plan.waiting.get("job_a")).toMatchObject({ code: "waiting_not_approved", facts: { ruleId: "a", answer: answer.answer } });
	});

	it("are requested again when the price rose above what the approver saw", () => {
		expect(given(said("a", "granted", COST - 1n, COST - 1n)).plan.asks?.get("job_a")).toMatchObject({ ruleId: "a" });
	});

	it("are not requested in a plan without such a rule", () => {
		const pending = [{ ...aJob("a").build(), approvals: [said("a", "refused")] }];
		expect(decideOne(dear, { policy: aPolicy({ weights, rules: [BURST_AFTER_10S] }), pending }).launched).toBe(dear[0]?.id);
	});
});

describe("explanations", () => {
	it("account for every considered offer", () => {
		const offers = Array.from({ length: 40 }, (_, i) =>
			anOffer({ region: `r${i}`, usd: (1 + i / 100).toFixed(2), gpus: i % 4 === 0 ? 0 : 1 }),
		);
		const { explanation } = decideOne(offers);
		expect(explanation?.consideredCount).toBe(41);
		expect(explanation?.candidates).toHaveLength(12);
		expect(explanation?.candidates.filter((c) => c.outcome === "chosen")).toHaveLength(1);
		expect(explanation?.removed).toMatchObject([{ why: "hardware_gpus", count: 10 }]);
	});

	it("show the cloud cost to a job that stays", () => {
		const { explanation } = decideOne([good], { ...full, pools: [aPool()], running: [] });
		expect(explanation?.candidates.map((c) => [c.offerId ?? "home", c.outcome, c.removedBy?.why ?? null, c.cashMicroUsd])).toEqual([
			["home", "chosen", null, "0"],
			[good.id, "removed", "burst_not_due", "5083334"],
		]);
	});
});
