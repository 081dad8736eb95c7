import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decision } from "#server/db/schema/decision.ts";
import type { Candidate, Explanation } from "#server/domain/decision.ts";
import { reason } from "#server/domain/reasons.ts";
import type { CapacityType } from "#server/domain/vocabulary.ts";
import { newId } from "#server/kernel/ids.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { meterAll } from "./meter.ts";
import { receiptOf } from "./receipt.ts";
import * as test from "./testing/books.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(() => books.database.drop());

function candidate(capacityType: CapacityType, hourly: string, outcome: Candidate["outcome"]): Candidate {
	const owned = capacityType === "owned";
	return {
		placement: {
			siteId: owned ? "local" : "aws",
			provider: owned ? "local" : "aws",
			region: owned ? null : "us-east-1",
			zone: null,
			capacityType,
			instanceType: owned ? null : "g5.xlarge",
			poolId: owned ? "gpu" : null,
			accelerator: "A10G-24GB",
		},
		...{ offerId: owned ? null : `aws:us-east-1:*:g5.xlarge:${capacityType}`, instances: 1, hourlyMicroUsd: hourly },
		...{
			start: { p50Ms: test.T0 + HOUR_MS, p90Ms: test.T0 + 2 * HOUR_MS },
			finish: { p50Ms: test.T0 + 3 * HOUR_MS, p90Ms: test.T0 + 4 * HOUR_MS },
		},
		...{
			computeMicroUsd: hourly,
			egressMicroUsd: "0",
			totalMicroUsd: hourly,
			cashMicroUsd: owned ? "0" : hourly,
			worstCaseMicroUsd: hourly,
		},
		...{ emissionsGrams: null, scoreMicroUsd: hourly, outcome, removedBy: null },
	};
}

describe("receiptOf", () => {
	it("sums 60 min spot interrupted + 30 min spot: 404,200 + 202,100 = 606,300; on demand 1.5 h × 1,006,000 = 1,509,000; at home 1.5 h × 600,000 = 900,000, cash 0", async () => {
		const first = await test.addMachine(books);
		const explanation: Explanation = {
			...{
				jobId: first.jobId,
				decidedAtMs: test.T0,
				policy: { name: "default", version: 1 },
				outcome: "launch",
				reason: reason("placed_cloud"),
			},
			...{ verdict: "allow", homeStart: null, removed: [], consideredCount: 3 },
			candidates: [
				candidate("owned", "600000", "passes"),
				candidate("spot", "404200", "chosen"),
				// Disks of $0.02 an hour, estimated for two hours. They last as long as the machine: $0.03 for an hour and a half.
				{ ...candidate("on_demand", "1006000", "passes"), computeMicroUsd: "2012000", storageMicroUsd: "40000" },
			],
		};
		await books.db.insert(decision).values({
			...{
				id: newId("dec", test.T0),
				jobId: first.jobId,
				decidedAt: new Date(test.T0),
				attemptNumber: 1,
				policyName: "default",
				policyVersion: 1,
				explanation,
			},
		});
		books.clock.advance(HOUR_MS);
		await test.terminate(books, first.instanceId);
		await test.endAttempt(books, first.attemptId, "interrupted");
		const second = await test.addMachine(books, { jobId: first.jobId, attemptNo: 2 });
		books.clock.advance(30 * MINUTE_MS);
		await meterAll(books);
		const receipt = await receiptOf(books, first.jobId);
		expect(receipt.attempts.map((a) => [a.number, a.state, a.lines.map((l) => [l.kind, l.causeId, l.status, l.costMicroUsd])])).toEqual([
			[1, "interrupted", [["compute", first.instanceId, "posted", 404_200n]]],
			[2, "starting", [["compute", second.instanceId, "metered", 202_100n]]],
		]);
		expect(receipt.totals).toMatchObject({ costMicroUsd: 606_300n, listMicroUsd: 1_509_000n, gpuMs: BigInt(90 * MINUTE_MS) });
		expect(receipt.alternatives.map((a) => [a.way, a.costMicroUsd, a.storageMicroUsd, a.cashMicroUsd, a.estimate])).toEqual([
			["at_home", 900_000n, null, 0n, "same_machine_time_at_price_when_decided"],
			["on_demand", 1_539_000n, 30_000n, 1_539_000n, "same_machine_time_at_price_when_decided"],
		]);
		// 172.5 Wh an hour at 380.5 g/kWh = 65,636 mg, half of it 32,818 mg; manufacturing 5,555 + 2,777 mg; over 1.5 GPU-hours.
		expect(receipt.totals).toMatchObject({ emissionsMilligrams: 98_454n, embodiedMilligrams: 8_332n, marketEmissionsMilligrams: null });
		expect(receipt.carbon).toEqual({ milligramsPerGpuHour: 71_190n, milligramsPerJob: 106_786n });
		expect(receipt.totals.costMicroUsd).toBe((await test.readJob(books, first.jobId)).costMicroUsd);
	});

	it("skips prices too old to be chosen and hardware that could not run the job, and compares with the next candidate", async () => {
		await test.addPool(books);
		const { allocationId, jobId } = await test.addUse(books, { slots: [0] });
		const stale = { ...candidate("spot", "10000", "removed"), removedBy: { ruleId: null, why: "price_stale" as const, facts: {} } };
		const notDue = { ...candidate("spot", "404200", "removed"), removedBy: { ruleId: null, why: "burst_not_due" as const, facts: {} } };
		const other = {
			...candidate("spot", "20000", "removed"),
			removedBy: { ruleId: null, why: "hardware_accelerator" as const, facts: {} },
		};
		const explanation: Explanation = {
			...{ jobId, decidedAtMs: test.T0, policy: { name: "default", version: 1 }, outcome: "place_home", reason: reason("placed_home") },
			...{ verdict: "allow", homeStart: null, consideredCount: 4, candidates: [candidate("owned", "600000", "chosen")] },
			removed: [stale, other, notDue].map((cheapest) => ({ ruleId: null, why: cheapest.removedBy.why, count: 1, cheapest })),
		};
		await books.db.insert(decision).values({
			...{ id: newId("dec", test.T0), jobId, decidedAt: new Date(test.T0), attemptNumber: 1, policyName: "default", policyVersion: 1 },
			explanation,
		});
		books.clock.advance(HOUR_MS);
		await test.endUse(books, allocationId);
		await meterAll(books);
		expect((await receiptOf(books, jobId)).alternatives.map((a) => [a.way, a.costMicroUsd])).toEqual([["spot", 404_200n]]);
	});

	it("has one line for the slots of a job at home, and no alternatives without a recorded decision", async () => {
		await test.addPool(books);
		const { allocationId, jobId } = await test.addUse(books, { slots: [0, 1] });
		books.clock.advance(20 * MINUTE_MS);
		await test.endUse(books, allocationId);
		await meterAll(books);
		const { attempts, alternatives } = await receiptOf(books, jobId);
		expect(attempts[0]?.lines).toMatchObject([
			{ causeId: allocationId, status: "posted", costMicroUsd: 400_000n, gpuMs: BigInt(40 * MINUTE_MS) },
		]);
		expect(alternatives).toEqual([]);
	});

	it("is restricted to the job's team, and reports an unknown job as not found", async () => {
		const { jobId } = await test.addMachine(books);
		const actor = { kind: "person", accountId: "usr_1", name: "S", role: "data_scientist", teams: ["nlp"], via: "token" } as const;
		await expect(receiptOf({ ...books, actor }, jobId)).rejects.toMatchObject({ code: "not_found" });
		await expect(receiptOf(books, "job_none")).rejects.toMatchObject({ code: "not_found" });
	});
});
