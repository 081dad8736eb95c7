import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { team } from "#server/db/schema/account.ts";
import { decision } from "#server/db/schema/decision.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { Candidate, Explanation } from "#server/domain/decision.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { submitJob } from "#server/services/work/job/submit-one.ts";
import { aSpec } from "#server/simulation/backtest/testing/small.ts";
import { listEffects } from "./effects.ts";

const SOURCE = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - { id: no-spot, deny: { capacityTypes: [spot] } }
    - { id: go, burst: { after: { forecastWait: 10s } } }
    - { id: idle, when: job.gpus > 500, deny: { sites: [cloud] } }
`;
const clock = new ManualClock(Date.UTC(2026, 10, 2, 8));
let database: TestDatabase;
const ctx = () => systemContext(database.db, clock, "seed");

/** A candidate by its total and its score, in dollars. */
const candidate = (total: number, score: number, outcome: Candidate["outcome"]) =>
	({ outcome, totalMicroUsd: String(total * 1e6), scoreMicroUsd: String(score * 1e6) }) as Candidate;

/** Shown with zeros, because its price is unknown. */
const UNPRICED = {
	...candidate(0, 0, "removed"),
	...{ hourlyMicroUsd: "0", placement: { siteId: "aws", capacityType: "spot" } },
} as Candidate;

beforeAll(async () => {
	database = await createTestDatabase();
	await publishPolicy(ctx(), { name: "default", message: "test", source: SOURCE });
	await database.db.insert(team).values({ name: "vision" });
	const [a, b] = [await submitJob(ctx(), aSpec({ name: "a" })), await submitJob(ctx(), aSpec({ name: "b" }))];
	const placed = (jobId: string, excluded: Candidate, count: number): Explanation =>
		({
			...{ jobId, outcome: "launch", reason: { code: "burst", facts: { ruleId: "go" } } },
			candidates: [candidate(99, 99, "passes"), candidate(10, 12, "chosen")],
			removed: [
				{ ruleId: "no-spot", why: "capacity_type_denied", count, cheapest: excluded },
				{ ruleId: null, why: "price_stale", count: 7, cheapest: candidate(1, 1, "removed") },
			],
		}) as unknown as Explanation;
	let n = 0;
	const row = (jobId: string, explanation: Explanation, daysAgo: number, attemptNumber: number | null) => ({
		...{ id: `dec_${n++}`, jobId, attemptNumber, policyName: "default", policyVersion: 1, explanation },
		decidedAt: new Date(clock.nowMs() - daysAgo * DAY_MS),
	});
	await database.db.insert(decision).values([
		// Ranked before the chosen one, and $6 cheaper.
		row(a, placed(a, candidate(4, 5, "removed"), 3), 1, 1),
		// Cheaper, but ranked after it.
		row(b, placed(b, candidate(2, 20, "removed"), 2), 2, 1),
		// Nothing says that it ranked before the chosen one.
		row(b, placed(b, UNPRICED, 4), 2, 3),
		// Not a placement, and too old.
		row(a, placed(a, candidate(4, 5, "removed"), 50), 1, null),
		row(b, placed(b, candidate(4, 5, "removed"), 60), 31, 2),
	]);
});
afterAll(() => database.drop());

describe("the effects of the active policy's rules", () => {
	it("are counted from the placements of the last 30 days", async () => {
		expect(await listEffects(ctx(), { name: "default" })).toMatchObject({
			...{ version: 1, placements: 3, truncated: false },
			rules: [
				{ ruleId: "no-spot", jobs: 2, places: 9, changed: 1, costMicroUsd: "6000000", sent: 0 },
				{ ruleId: "go", jobs: 0, places: 0, changed: 0, costMicroUsd: null, sent: 2 },
				{ ruleId: "idle", jobs: 0, places: 0, changed: 0, costMicroUsd: null, sent: 0 },
			],
		});
	});
	it("start again with a new version", async () => {
		await publishPolicy(ctx(), { name: "default", message: "test", source: SOURCE.replace("10s", "20s") });
		const { version, placements, rules } = await listEffects(ctx(), { name: "default" });
		expect([version, placements, rules.map(({ jobs, costMicroUsd }) => [jobs, costMicroUsd])]).toEqual([
			2,
			0,
			[
				[0, null],
				[0, null],
				[0, null],
			],
		]);
	});
});
