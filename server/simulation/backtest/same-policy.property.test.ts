import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Policy } from "#server/domain/policy.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { aReplayOffer, aReplayPolicy } from "../replay/testing/small.ts";
import type { RecordedHistory } from "./history.ts";
import { runBacktest } from "./run-backtest.ts";
import { aHistory, aHistoryJob, aSpec, FROM_MS } from "./testing/small.ts";

const GO = aReplayPolicy("    - { id: go, burst: { always: true } }");
const ASK = {
	id: "ask",
	when: "quote.costUsd > 20.0",
	line: 9,
	effect: { kind: "require", capacityType: null, approval: "platform" },
} as const;
const POLICIES: Policy[] = [
	aReplayPolicy("    - { id: go, burst: { after: { forecastWait: 30m } } }"),
	aReplayPolicy("    - { id: go, burst: { always: true } }\n    - { id: back, move: { to: [home], savingUsd: 1 } }"),
	{ ...GO, rules: [...GO.rules, ASK] },
];

const job = fc.record({
	afterMinutes: fc.integer({ min: 0, max: 600 }),
	minutes: fc.integer({ min: 1, max: 300 }),
	gpus: fc.constantFrom(1, 1, 1, 2),
	deadlineHours: fc.option(fc.integer({ min: 1, max: 6 })),
	withdrawnAfter: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 8 }),
	saves: fc.boolean(),
});

describe("a draft identical to the published policy", () => {
	it("moves no job and changes no total, whatever the history", () => {
		const arbitrary = fc.record({
			jobs: fc.array(job, { maxLength: 30 }),
			policy: fc.constantFrom(...POLICIES),
			taken: fc.constantFrom(0, 3),
		});
		fc.assert(
			fc.property(arbitrary, ({ jobs, policy, taken }) => {
				const result = runBacktest(historyOf(jobs, taken), { published: policy, draft: structuredClone(policy) });
				expect(result.moved).toEqual([]);
				expect(result.draft).toEqual(result.published);
			}),
		);
	});
});

type Drawn = typeof job extends fc.Arbitrary<infer T> ? T : never;

function historyOf(jobs: readonly Drawn[], taken: number): RecordedHistory {
	const at = { intendedAtMs: FROM_MS, launchedAtMs: FROM_MS, endedAtMs: FROM_MS + HOUR_MS };
	return aHistory({
		launches: Array.from({ length: taken }, () => ({ ...at, offerId: "sp", spot: true, end: "interrupted" })),
		offers: [aReplayOffer("od", { usd: "9", gpus: 2 }), aReplayOffer("sp", { usd: "3", gpus: 2, type: "spot" })],
		pools: aHistory().pools.map((pool) => ({ ...pool, gpusPerNode: 2 })),
		jobs: jobs.map((j, i) => {
			const submitted = FROM_MS + j.afterMinutes * MINUTE_MS;
			return aHistoryJob(`j${i}`, {
				afterMs: j.afterMinutes * MINUTE_MS,
				ms: j.minutes * MINUTE_MS,
				withdrawnAtMs: j.withdrawnAfter === null ? null : submitted + j.withdrawnAfter * MINUTE_MS,
				spec: aSpec({
					name: `j${i}`,
					gpus: j.gpus,
					deadlineMs: j.deadlineHours === null ? null : submitted + j.deadlineHours * HOUR_MS,
					checkpoint: j.saves ? { path: "/c", intervalMs: 10 * MINUTE_MS } : null,
				}),
			});
		}),
	});
}
