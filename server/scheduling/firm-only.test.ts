import { describe, expect, it } from "vitest";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "./decide.ts";
import { LIMITS } from "./limits.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, burstRule, NOON_MS } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";
import type { PendingJob, Snapshot } from "./types.ts";

const firm = anOffer({ usd: "1.00" });
const spot = anOffer({ usd: "0.30", capacityType: "spot" });

/** A known length of 90 min, a checkpoint every 15 min, a boot of 2 min at P90. */
function due(inMs: number, checkpoints = true): PendingJob {
	const job = aJob("a")
		.estimate(WORK_MS)
		.max(WORK_MS)
		.deadline(NOON_MS + inMs)
		.build();
	return { ...job, spec: { ...job.spec, checkpoint: checkpoints ? { path: "/c", intervalMs: 15 * MINUTE_MS } : null } };
}
const choose = (job: PendingJob, given: Partial<Snapshot> = {}) => chooseFor(aSnapshot({ offers: [spot, firm], ...given }), job);

/** Changeover to firm capacity with nothing to restore, and to spot that is lost after its first checkpoint. */
const BOOT_MS = 2 * MINUTE_MS;
const CHANGEOVERS_MS = BOOT_MS + BOOT_MS + LIMITS.restoreMs;
const WORK_MS = 90 * MINUTE_MS;

describe("a deadline at the start", () => {
	it("allows spot only when a lost start and the whole work on firm capacity still fit", () => {
		const leastMs = WORK_MS + CHANGEOVERS_MS + 15 * MINUTE_MS + LIMITS.nextChoiceWithinMs;
		expect(choose(due(leastMs)).offerId).toBe(spot.id);
		const { offerId, choice } = choose(due(leastMs - 1));
		expect(offerId).toBe(firm.id);
		expect(choice.passedOver).toMatchObject([{ row: { offer: { id: spot.id } }, removal: { why: "deadline_needs_firm" } }]);
		const [passed] = choice.passedOver;
		expect(passed && removalSentenceOf(passed.removal)).toBe("Spot may be reclaimed, and the job's deadline leaves no time for that.");
	});

	it("includes the time to stage data on each machine", () => {
		const stagingMs = 10 * MINUTE_MS;
		// 600 GiB at 1 GiB/s.
		const rows = { uri: "s3://lake/rows", sizeGiB: 600, mount: "/data", residency: [] };
		const data = {
			...{ replicas: new Map(), filesStayHome: false },
			inboundMiBPerS: new Map([`${firm.provider}:${firm.region}`].map((place) => [place, 1024])),
		};
		const reading = (inMs: number) => {
			const job = due(inMs);
			return choose({ ...job, spec: { ...job.spec, data: [rows] } }, { data });
		};
		const leastMs = WORK_MS + CHANGEOVERS_MS + 2 * stagingMs + 15 * MINUTE_MS + LIMITS.nextChoiceWithinMs;
		expect(reading(leastMs).offerId).toBe(spot.id);
		expect(reading(leastMs - 1).offerId).toBe(firm.id);
	});

	it("needs room for the whole work twice without checkpoints", () => {
		const leastMs = 2 * WORK_MS + CHANGEOVERS_MS + LIMITS.nextChoiceWithinMs;
		expect(choose(due(leastMs, false)).offerId).toBe(spot.id);
		expect(choose(due(leastMs - 1, false)).offerId).toBe(firm.id);
	});

	it("pays no more when the deadline is lost anyway, and takes spot when no firm capacity is available", () => {
		expect(choose(due(HOUR_MS)).offerId).toBe(spot.id);
		expect(choose(due(110 * MINUTE_MS)).offerId).toBe(firm.id);
		expect(choose(due(110 * MINUTE_MS), { offers: [spot] }).offerId).toBe(spot.id);
		const policy = aPolicy({ budgets: [{ id: "month" }] });
		expect(choose(due(110 * MINUTE_MS), { policy, budgets: [aBudget("month", { cap: 1 })] }).offerId).toBe(spot.id);
	});

	it("does not keep a job without a deadline from spot", () => {
		expect(choose(aJob("a").build()).offerId).toBe(spot.id);
	});
});

describe("waiting for a slot that is forecast to be free soon", () => {
	const policy = aPolicy({ rules: [["all", null, burstRule({ always: true })]] });
	// Its estimate has passed, so it is expected to end now; it may run for another hour.
	const running = [
		aJob("older")
			.estimate(HOUR_MS)
			.running("home-a", [0], HOUR_MS - MINUTE_MS),
	];
	const pools = [aPool({ gpusPerNode: 1, freeSlots: [] })];
	const kindOf = (job: PendingJob) =>
		decide(aSnapshot({ policy, pools, running, offers: [firm], pending: [job] })).actions.map(({ kind }) => kind);

	it("ends when the deadline allows no more of it", () => {
		expect(kindOf(aJob("a").build())).toEqual([]);
		expect(kindOf(due(WORK_MS + BOOT_MS + LIMITS.nextChoiceWithinMs))).toEqual([]);
		expect(kindOf(due(WORK_MS + BOOT_MS + LIMITS.nextChoiceWithinMs - 1))).toEqual(["launch"]);
	});

	it("is the only option for a job without progress in the cloud", () => {
		const fruitless = { attempts: 2, lostMs: HOUR_MS, lostMicroUsd: 5_000_000n };
		const away = { ...aJob("a").build(), fruitless };
		const later = [
			aJob("older")
				.estimate(9 * HOUR_MS)
				.running("home-a", [0], HOUR_MS),
		];
		const plan = decide(aSnapshot({ policy, pools, running: later, offers: [firm], pending: [away] }));
		expect(plan.actions).toMatchObject([
			{ kind: "hold", reason: { code: "no_progress", facts: { attempts: 2, lostMicroUsd: "5000000" } } },
		]);
		const home = decide(aSnapshot({ policy, pools: [aPool({ gpusPerNode: 1, freeSlots: [0] })], offers: [firm], pending: [away] }));
		expect(home.actions).toMatchObject([{ kind: "place_home" }]);
	});
});
