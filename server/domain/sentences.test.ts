import { describe, expect, it } from "vitest";
import { REMOVAL_CODES } from "./decision.ts";
import { REASON_CODES, type Reason, reason } from "./reasons.ts";
import { removalSentenceOf } from "./removal-sentences.ts";
import { sentenceOf } from "./sentences.ts";

describe("sentenceOf", () => {
	it.each(REASON_CODES)("says %s in a sentence, even without any facts", (code) => {
		const sentence = sentenceOf(reason(code));
		expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
		expect(sentence).not.toMatch(/undefined|null|NaN|\[object|_|\s\s/);
	});

	const cases: [Reason, string][] = [
		[
			reason("waiting_for_home", {
				ahead: 2,
				startP50Ms: Date.UTC(2026, 10, 21, 9, 30),
				startP90Ms: Date.UTC(2026, 10, 21, 11),
				ruleId: "burst-on-wait",
				thresholdMs: 1_800_000,
			}),
			"Waiting for a slot at home behind 2 jobs; forecast to start at home at 2026-11-21 09:30 UTC, 90% by 2026-11-21 11:00 UTC; rule burst-on-wait sends it to the cloud when that wait exceeds 30m.",
		],
		[
			reason("waiting_for_home", { ahead: 0, evicted: 1, preemptRuleId: "deadlines-first" }),
			"Waiting for a slot at home; 1 running job makes room for its deadline by rule deadlines-first.",
		],
		[
			reason("budget_exceeded", {
				budgetId: "cloud-month",
				missingMicroUsd: "12340000",
				freeMicroUsd: "987654321",
				capMicroUsd: "50000000000",
			}),
			"Held: budget cloud-month is $12.34 short of the cheapest allowed offer; $987.65 is free of a cap of $50,000.00.",
		],
		[
			reason("placed_cloud", {
				provider: "aws",
				region: "us-east-1",
				instanceType: "g5.xlarge",
				capacityType: "spot",
				ruleId: "burst-on-wait",
				trigger: "forecast_wait",
				forecastWaitMs: 95_000,
				thresholdMs: 10_000,
				costMicroUsd: "123400",
				holdMicroUsd: "2400000",
			}),
			"Sent to aws us-east-1 (g5.xlarge, spot) by rule burst-on-wait: the forecast wait at home is 1m35s (limit 10s); expected to cost $0.1234, at most $2.40.",
		],
		[
			reason("no_placement_possible", {
				homeCause: "hardware_gpus",
				cloudCause: "hardware_gpus",
				askedGpus: 16,
				largestHomeGpus: 4,
				largestCloudGpus: 8,
			}),
			"No place can ever run this job. At home: it requests 16 GPUs on one machine; the largest has 4. In the cloud: it requests 16 GPUs on one machine; the largest has 8.",
		],
		[reason("exit_nonzero", { exitCode: 3 }), "Failed: the command ended with exit code 3."],
		[reason("out_of_memory"), "Failed: the command was killed because memory ran out."],
		[reason("image_pull_failed", { message: "denied." }), "Failed: its image could not be fetched where it runs: denied."],
		[
			reason("gang_member_failed", { rank: 1, nodes: 3, outOfMemory: true }),
			"Failed: the command of rank 1 (of 3) was killed because memory ran out; the other machines were stopped.",
		],
		[reason("staging_failed", { message: "no such bucket." }), "Failed: its data could not be copied to where it runs: no such bucket."],
	];
	it.each(cases)("%#: numbers with units", (given, want) => {
		expect(sentenceOf(given)).toBe(want);
	});

	it("formats amounts with the caller's formatter", () => {
		const local = { money: () => "12 €", duration: () => "an hour", instant: () => "noon" };
		expect(sentenceOf(reason("capacity_backoff", { untilMs: 1 }), local)).toBe(
			"Waiting: every allowed offer recently ran out of capacity or quota and is paused until noon.",
		);
	});
});

describe("removalSentenceOf", () => {
	it.each(REMOVAL_CODES)("says %s in a sentence, even when no fact came with it", (why) => {
		const sentence = removalSentenceOf({ ruleId: null, why, facts: {} });
		expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
		expect(sentence).not.toMatch(/undefined|null|NaN|\[object|_|\s\s/);
	});

	it("names the rule and the numbers", () => {
		const quota = { quota: "NVIDIA_L4_GPUS", unit: "gpus", limit: 8, used: 6, freeGpus: 2, askedGpus: 4 };
		expect(removalSentenceOf({ ruleId: null, why: "quota_exceeded", facts: quota })).toBe(
			"The account's quota NVIDIA_L4_GPUS of 8 GPUs, 6 used, leaves 2 GPUs there, and the job needs 4.",
		);
		expect(removalSentenceOf({ ruleId: "sensitive-stays-home", why: "site_denied", facts: { site: "aws", denied: "cloud" } })).toBe(
			"Rule sensitive-stays-home denies the cloud.",
		);
		expect(removalSentenceOf({ ruleId: null, why: "hardware_gpus", facts: { asked: 8, has: 4 } })).toBe(
			"It has 4 of the 8 GPUs requested.",
		);
		expect(removalSentenceOf({ ruleId: null, why: "price_stale", facts: { ageMs: 90_000_000, maxAgeMs: 86_400_000 } })).toBe(
			"Its price is 1d1h old; the limit is 1d.",
		);
	});
});
