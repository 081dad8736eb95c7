import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { emptyRecord, withInterruption, withLaunch } from "../records.ts";
import { priorModel } from "../spot-guarantee/learner.ts";
import { presenceAfter } from "../spot-guarantee/presence.ts";
import { aJob, anOffer, aPolicy, aSnapshot, NOON_MS } from "../testing/builders.ts";
import type { OfferRecord, Snapshot } from "../types.ts";
import { planRunning } from "./plan-running.ts";
import { inCloud, inputOf } from "./testing/input.ts";
import { expectedSaving } from "./try-offer.ts";

describe("the expected state of a zone", () => {
	it("moves from the last observation towards its long-run average", () => {
		const at = (up: boolean, hours: number): number => presenceAfter(priorModel(), up, HOUR_MS, hours * HOUR_MS).chance;
		expect([at(true, 0), at(false, 0)]).toEqual([1, 0]);
		expect(at(true, 1)).toBeGreaterThan(at(true, 6));
		expect(at(false, 6)).toBeGreaterThan(at(false, 1));
	});

	it("has been up for no longer than the time since the last observation", () => {
		for (const hours of [0, 0.2, 1, 7]) {
			const { upMs } = presenceAfter(priorModel(), false, 0, hours * HOUR_MS);
			expect(upMs).toBeGreaterThanOrEqual(0);
			expect(upMs).toBeLessThanOrEqual(hours * HOUR_MS);
		}
	});
});

describe("trying an offer without running work", () => {
	const given = { savingMicroUsd: 100e6, failMicroUsd: 10e6, cheaperMicroUsdPerHour: 50e6 };

	it("compares the savings of a machine with the cost of a refusal, by its chance", () => {
		expect(expectedSaving({ chance: 0.5, upMs: HOUR_MS }, given)).toBe(45e6);
		expect(expectedSaving({ chance: 0.05, upMs: HOUR_MS }, given)).toBeLessThan(0);
	});

	it("is deferred until the expected cost of not knowing equals the cost of a refusal", () => {
		expect(expectedSaving({ chance: 0.5, upMs: 11 * MINUTE_MS }, given)).toBeNull();
		expect(expectedSaving({ chance: 0.5, upMs: 12 * MINUTE_MS }, given)).toBe(45e6);
	});
});

describe("a lone job in an expensive zone", () => {
	const cheap = anOffer({ usd: "0.50", capacityType: "spot", region: "us-west-2", onDemandMicroUsdPerHour: usdToMicro(4) });
	const policy = aPolicy({ rules: [["cheaper", null, { kind: "move", to: ["cheaper"], savingMicroUsd: 0n }]] });
	const moves = (record: OfferRecord | null, jobs = ["a"]) => {
		const running = jobs.map((id) => {
			const attempt = inCloud(aJob(id).estimate(20 * HOUR_MS), { usd: "4.00" });
			return { ...attempt, spec: { ...attempt.spec, checkpoint: { path: "/c", intervalMs: 15 * MINUTE_MS } } };
		});
		const offerRecords: Snapshot["offerRecords"] = new Map(record ? [[cheap.id, record]] : []);
		const here = anOffer({ usd: "4.00", instanceType: "g5.2xlarge" });
		const plan = planRunning(inputOf(aSnapshot({ policy, offers: [here, cheap], pools: [], offerRecords, running })));
		return plan.flatMap((action) => (action.kind === "move" && action.to.kind === "cloud" ? [action.to.offerId] : []));
	};

	it("goes to cheap spot without any of our jobs", () => {
		expect(moves(null)).toEqual([cheap.id]);
		expect(moves(withLaunch(emptyRecord(NOON_MS - HOUR_MS, true), NOON_MS - HOUR_MS))).toEqual([cheap.id]);
	});

	it("avoids it right after it was reclaimed", () => {
		expect(moves(withInterruption(emptyRecord(NOON_MS - MINUTE_MS, true), NOON_MS - MINUTE_MS / 2))).toEqual([]);
	});

	it("is the only one to try it, and the others follow", () => {
		expect(moves(null, ["a", "b", "c"])).toEqual([cheap.id]);
	});
});
