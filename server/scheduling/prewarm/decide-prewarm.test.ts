import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { criticalShare, decidePrewarm, holdOf, quantileOf } from "./decide-prewarm.ts";
import type { IdleMachine, PrewarmEffect, PrewarmFacts } from "./types.ts";

const NOW_MS = Date.UTC(2026, 0, 5, 8);
const ALL_DAY = { days: ["mon" as const], fromMinute: 0, toMinute: 1440 };

function aRule(given: Partial<PrewarmEffect> = {}): PrewarmEffect {
	return {
		...{ kind: "prewarm", machines: 4, accelerator: "A100-80GB", gpusPerMachine: 8, state: "stopped", sites: [], capacityType: null },
		...{ capMicroUsdPerMonth: usdToMicro("100"), idleMs: DAY_MS, waitingMicroUsdPerGpuHour: usdToMicro("5"), hours: null },
		...given,
	};
}

function facts(given: Partial<PrewarmFacts> = {}): PrewarmFacts {
	return {
		...{ nowMs: NOW_MS, scheduledSinceMs: null, needed: { p10: 2, p50: 6, p90: 10 }, inUse: 3, idle: [] },
		price: { microUsdPerHour: usdToMicro("0.03"), bootMicroUsd: usdToMicro("1"), holdMicroUsd: usdToMicro("2") },
		...{ savedMs: 150_000, spentMicroUsd: 0n, expiredAtMs: null, neededAtMs: null },
		...given,
	};
}

function anIdle(id: string, given: Partial<IdleMachine> = {}): IdleMachine {
	return { id, microUsdPerHour: usdToMicro("0.03"), holdMicroUsd: usdToMicro("2"), idleSinceMs: NOW_MS - HOUR_MS, ...given };
}

const microUsd = (max: number) => fc.integer({ min: 0, max }).map((cents) => BigInt(cents) * 10_000n);
const anyRule: fc.Arbitrary<PrewarmEffect> = fc
	.record({
		machines: fc.integer({ min: 1, max: 20 }),
		gpusPerMachine: fc.integer({ min: 1, max: 8 }),
		capMicroUsdPerMonth: microUsd(5_000),
		idleMs: fc.integer({ min: 1, max: 2_000 }).map((minutes) => minutes * MINUTE_MS),
		waitingMicroUsdPerGpuHour: microUsd(10_000),
		hours: fc.constantFrom(null, ALL_DAY),
	})
	.map(aRule);
const anyFacts: fc.Arbitrary<PrewarmFacts> = fc
	.record({
		needed: fc.option(fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)).map(([a, b, c]) => ({ p10: a, p50: a + b, p90: a + b + c }))),
		inUse: fc.nat(20),
		idle: fc
			.array(
				fc.record({ microUsdPerHour: microUsd(400), holdMicroUsd: microUsd(600), idleMinutes: fc.integer({ min: -10, max: 3_000 }) }),
				{
					maxLength: 25,
				},
			)
			.map((all) => all.map(({ idleMinutes, ...money }, i) => ({ ...money, id: `m${i}`, idleSinceMs: NOW_MS - idleMinutes * MINUTE_MS }))),
		price: fc.option(fc.record({ microUsdPerHour: microUsd(400), bootMicroUsd: microUsd(200), holdMicroUsd: microUsd(600) })),
		spentMicroUsd: microUsd(6_000),
		scheduledSinceMs: fc.constantFrom(null, NOW_MS - HOUR_MS),
		expiredAtMs: fc.constantFrom(null, NOW_MS - 2 * HOUR_MS, NOW_MS - MINUTE_MS),
		neededAtMs: fc.constantFrom(null, NOW_MS - HOUR_MS),
	})
	.map(facts);

describe("a prewarm decision, for any rule and facts", () => {
	const always = (check: (rule: PrewarmEffect, given: PrewarmFacts, kept: IdleMachine[], launch: number) => void): void => {
		fc.assert(
			fc.property(anyRule, anyFacts, (rule, given) => {
				const { end, launch } = decidePrewarm(rule, given);
				const ended = new Set(end.map(({ id }) => id));
				check(
					rule,
					given,
					given.idle.filter(({ id }) => !ended.has(id)),
					launch,
				);
			}),
			{ numRuns: cases(200, 5_000) },
		);
	};

	it("never keeps more machines than the rule allows", () =>
		always((rule, _, kept, launch) => expect(kept.length + launch).toBeLessThanOrEqual(rule.machines)));

	it("never risks more than the month's budget", () =>
		always((rule, { spentMicroUsd, price }, kept, launch) => {
			const held = kept.reduce((sum, { holdMicroUsd }) => sum + holdMicroUsd, 0n) + BigInt(launch) * (price?.holdMicroUsd ?? 0n);
			if (held > 0n) expect(spentMicroUsd + held).toBeLessThanOrEqual(rule.capMicroUsdPerMonth);
		}));

	it("never keeps a machine beyond the idle limit", () =>
		always((rule, { nowMs }, kept) => expect(kept.every(({ idleSinceMs }) => nowMs - idleSinceMs < rule.idleMs)).toBe(true)));

	it("keeps and launches nothing when nothing is expected", () =>
		always((rule, given) => {
			const quiet = { ...given, needed: { p10: 0, p50: 0, p90: 0 }, scheduledSinceMs: null };
			const { end, launch } = decidePrewarm(rule, quiet);
			expect([end.length, launch]).toEqual([given.idle.length, 0]);
		}));

	it("keeps no fewer machines when waiting costs more", () =>
		always((rule, given) => {
			const dear = { ...rule, waitingMicroUsdPerGpuHour: rule.waitingMicroUsdPerGpuHour * 2n };
			expect(decidePrewarm(dear, given).target).toBeGreaterThanOrEqual(decidePrewarm(rule, given).target);
		}));
});

describe("a prewarm decision, by hand", () => {
	it("compares the wait saved with the price of a machine too many", () => {
		// 8 GPUs x $5 x 150 s = $1.67 a machine; $0.03 to keep one for an hour, $1.03 with its boot.
		expect(criticalShare(1.6667, 0.03)).toBeCloseTo(0.982, 3);
		expect(criticalShare(1.6667, 1.03)).toBeCloseTo(0.618, 3);
		expect(quantileOf({ p10: 2, p50: 6, p90: 10 }, 0.9)).toBeCloseTo(10, 4);
		expect(quantileOf({ p10: 2, p50: 6, p90: 10 }, 0.1)).toBeCloseTo(2, 4);
		// The 98% quantile is 12.6 and the 62% quantile 6.9, and 3 are in use.
		expect(decidePrewarm(aRule({ machines: 20 }), facts())).toMatchObject({ target: 10, launchTarget: 4, launch: 4 });
	});

	it("keeps all machines in the rule's hours and none outside", () => {
		const rule = aRule({ hours: ALL_DAY });
		expect(decidePrewarm(rule, facts({ needed: null, scheduledSinceMs: NOW_MS })).launch).toBe(4);
		const after = decidePrewarm(rule, facts({ idle: [anIdle("a")] }));
		expect(after).toMatchObject({ launch: 0, end: [{ id: "a", why: "not_expected" }] });
	});

	it("launches nothing after the idle limit ended a machine, until a job needs one", () => {
		const idle = [anIdle("a", { idleSinceMs: NOW_MS - DAY_MS })];
		expect(decidePrewarm(aRule(), facts({ idle }))).toMatchObject({ launch: 0, end: [{ id: "a", why: "idle_limit" }] });
		const expiredAtMs = NOW_MS - HOUR_MS;
		expect(decidePrewarm(aRule(), facts({ expiredAtMs })).launch).toBe(0);
		expect(decidePrewarm(aRule(), facts({ expiredAtMs, neededAtMs: NOW_MS - MINUTE_MS })).launch).toBe(4);
		const hours = aRule({ hours: ALL_DAY });
		expect(decidePrewarm(hours, facts({ expiredAtMs, scheduledSinceMs: NOW_MS - 2 * HOUR_MS })).launch).toBe(0);
		expect(decidePrewarm(hours, facts({ expiredAtMs, scheduledSinceMs: NOW_MS })).launch).toBe(4);
	});

	it("stays within what is left of the budget", () => {
		const spent = facts({ spentMicroUsd: usdToMicro("95"), idle: [anIdle("a"), anIdle("b")] });
		expect(decidePrewarm(aRule(), spent)).toMatchObject({ launch: 0, end: [] });
		expect(decidePrewarm(aRule(), { ...spent, spentMicroUsd: usdToMicro("97") }).end).toEqual([{ id: "b", why: "budget" }]);
	});

	it("reserves the boot, and the price until the review after the idle limit", () => {
		const [bootMicroUsdPerHour, idleMicroUsdPerHour] = [usdToMicro("30"), usdToMicro("0.6")];
		const money = { bootMs: 4 * MINUTE_MS, bootMicroUsdPerHour, idleMicroUsdPerHour };
		expect(holdOf({ idleMs: 55 * MINUTE_MS }, money)).toBe(usdToMicro("2.6"));
	});
});
