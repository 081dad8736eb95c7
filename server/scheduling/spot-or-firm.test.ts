import { describe, expect, it } from "vitest";
import { sentenceOf } from "#server/domain/sentences.ts";
import { waitingChanges } from "#server/domain/waiting-changes.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { costTermsOf } from "./cost.ts";
import { decide } from "./decide.ts";
import { LIMITS } from "./limits.ts";
import { openOfferBook } from "./offers.ts";
import { emptyRecord, withHours, withInterruption, withLaunch, withRefusal } from "./records.ts";
import { priorModel } from "./spot-guarantee/learner.ts";
import { spotZoneOf } from "./spot-zone.ts";
import { aBudget, aJob, anOffer, aPolicy, aSnapshot, burstRule, NOON_MS } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";
import type { OfferRecord, PendingJob, Snapshot } from "./types.ts";

const M = MINUTE_MS;
const firm = anOffer({ usd: "1.00" });
const spot = anOffer({ usd: "0.30", capacityType: "spot" });

/** A known length of 30 hours, a checkpoint every 15 min, a boot of 2 min at P90. */
function due(inMs: number, part: Partial<PendingJob["spec"]> = {}): PendingJob {
	const job = aJob("a").estimate(WORK_MS).max(WORK_MS).build();
	return { ...job, spec: { ...job.spec, deadlineMs: NOON_MS + inMs, checkpoint: { path: "/c", intervalMs: 15 * M }, ...part } };
}
const WORK_MS = 30 * HOUR_MS;
/** No checkpoint yet, so the start restores nothing. */
const BOOT_MS = 2 * M;
/** Margin below which a start on spot is not allowed. */
const LEAST_MS = BOOT_MS + LIMITS.restoreMs + 15 * M + LIMITS.nextChoiceWithinMs;
const AMPLE_MS = 40 * HOUR_MS;

/** Spot that alternated for ten days between `upMs` up and `awayMs` down, and was refused a minute ago when it had just gone down. */
function intermittentOffer(upMs: number, awayMs: number): OfferRecord {
	const goneMs = NOON_MS - M;
	let record = emptyRecord(goneMs - 240 * HOUR_MS, true);
	for (let atMs = goneMs - Math.floor((240 * HOUR_MS) / (upMs + awayMs)) * (upMs + awayMs); atMs < goneMs; atMs += upMs + awayMs) {
		for (let t = atMs; t < atMs + awayMs; t += Math.min(30 * M, awayMs)) record = withRefusal(record, t);
		record = withLaunch(record, atMs + awayMs);
		const endMs = atMs + awayMs + upMs;
		record = withInterruption(withHours(record, upMs / HOUR_MS, endMs), endMs);
	}
	return { ...record, backoffUntilMs: NOON_MS + 2 * M };
}
const SOON = intermittentOffer(10 * HOUR_MS, 20 * M);
const RARELY = intermittentOffer(HOUR_MS, 9 * HOUR_MS);
const seen = (record: OfferRecord): Partial<Snapshot> => ({ offerRecords: new Map([[spot.id, record]]) });
const withDelayWeight = (usd: number) => aPolicy({ weights: { delayMicroUsdPerHour: usdToMicro(usd), carbonMicroUsdPerTonne: 0n } });
const choose = (job: PendingJob, given: Partial<Snapshot>) =>
	chooseFor(aSnapshot({ policy: withDelayWeight(1), offers: [spot, firm], ...given }), job);

describe("a job with a deadline and checkpoints, while spot is unavailable", () => {
	it("waits for spot that returns soon, at most until its deadline requires firm capacity", () => {
		const { choice } = choose(due(AMPLE_MS), seen(SOON));
		expect(choice).toMatchObject({
			kind: "waits_for_spot",
			row: { offer: { id: firm.id } },
			untilMs: NOON_MS + AMPLE_MS - WORK_MS - BOOT_MS - LEAST_MS,
			askAgainMs: NOON_MS - M + LIMITS.askAgainLeastMs,
			zones: 1,
		});
	});

	it("starts on firm capacity when spot stays away too long for the value of waiting", () => {
		expect(choose(due(AMPLE_MS), seen(RARELY)).offerId).toBe(firm.id);
	});

	it("does not wait when an hour is worth more than spot could save", () => {
		expect(choose(due(AMPLE_MS), { ...seen(SOON), policy: withDelayWeight(0) }).choice.kind).toBe("waits_for_spot");
		expect(choose(due(AMPLE_MS), { ...seen(SOON), policy: withDelayWeight(60) }).offerId).toBe(firm.id);
	});

	it("never waits longer than its deadline allows: at the last moment and one later", () => {
		const leastMs = WORK_MS + BOOT_MS + LEAST_MS;
		const at = (laterMs: number) => choose(due(leastMs + laterMs), seen(SOON));
		expect(at(3 * HOUR_MS).choice.kind).toBe("waits_for_spot");
		expect(at(-1).offerId).toBe(firm.id);
	});

	it("is decided like any other job without checkpoints, a deadline, records, or affordable firm capacity", () => {
		expect(choose(due(AMPLE_MS, { checkpoint: null }), seen(SOON)).offerId).toBe(firm.id);
		expect(choose(due(AMPLE_MS, { deadlineMs: null }), seen(SOON)).offerId).toBe(firm.id);
		expect(choose(due(AMPLE_MS), { offers: [{ ...spot, backoffUntilMs: NOON_MS + M }, firm] }).offerId).toBe(firm.id);
		const poor = { policy: aPolicy({ budgets: [{ id: "month" }] }), budgets: [aBudget("month", { cap: 10 })] };
		expect(choose(due(AMPLE_MS), { ...seen(SOON), ...poor }).choice.kind).toBe("over_budget");
	});
});

describe("a job with a deadline and checkpoints, while spot is available", () => {
	const back = (record: OfferRecord): OfferRecord => withLaunch(record, NOON_MS);

	it("starts on it, in another zone too", () => {
		expect(choose(due(AMPLE_MS), seen(back(SOON))).offerId).toBe(spot.id);
		const other = anOffer({ usd: "0.35", capacityType: "spot", region: "us-west-2" });
		expect(choose(due(AMPLE_MS), { ...seen(SOON), offers: [spot, other, firm] }).offerId).toBe(other.id);
	});

	it("avoids it when it would be reclaimed before a start on it pays off", () => {
		const { offerId, choice } = choose(due(AMPLE_MS), {
			...seen(back(intermittentOffer(5 * M, 12 * HOUR_MS))),
			offers: [{ ...spot, microUsdPerHour: 900_000n }, firm],
		});
		expect(offerId).toBe(firm.id);
		expect(choice.passedOver.map(({ removal }) => removal.why)).not.toContain("deadline_needs_firm");
	});

	it("assumes an age of six hours for a run with an unobserved start, and none for one that may have just returned", () => {
		const [row] = openOfferBook(aSnapshot({ offers: [spot] })).rows;
		const zone = (record: OfferRecord | undefined) =>
			row && spotZoneOf(row, costTermsOf(aSnapshot({ offerRecords: new Map(record ? [[spot.id, record]] : []) })), true);
		const refused = withRefusal(emptyRecord(NOON_MS - 30 * M, true), NOON_MS - 30 * M);
		const [unseen, hourAgo, justRefused] = [zone(undefined), zone(withLaunch(emptyRecord(0, true), NOON_MS - HOUR_MS)), zone(refused)];
		expect([unseen?.ageMs, hourAgo?.ageMs, justRefused?.ageMs]).toEqual([6 * HOUR_MS, 7 * HOUR_MS, 0]);
		expect(unseen?.model).toBe(priorModel());
	});

	it("works on firm capacity meanwhile, instead of waiting, if work may return to spot later", () => {
		const moves = aPolicy({ rules: [["back", null, { kind: "move", to: ["cheaper"], savingMicroUsd: 0n }]] });
		expect(choose(due(AMPLE_MS), { ...seen(SOON), policy: moves }).offerId).toBe(firm.id);
		expect(choose(due(AMPLE_MS), seen(SOON)).choice.kind).toBe("waits_for_spot");
	});
});

describe("the plan of a job that waits for spot", () => {
	const leave = aPolicy({ ...{ weights: withDelayWeight(1).weights }, rules: [["go", null, burstRule({ always: true })]] });
	const snapshot = aSnapshot({ policy: leave, pools: [], offers: [spot, firm], ...seen(SOON), pending: [due(AMPLE_MS)] });
	const at = (nowMs: number) => decide({ ...snapshot, nowMs, priceMaxAgeMs: 100 * HOUR_MS }, { explain: new Set(["job_a"]) });

	it("reports what it waits for, and until when", () => {
		const plan = at(NOON_MS);
		expect(plan.actions).toEqual([]);
		const why = plan.waiting.get("job_a");
		expect(why && sentenceOf(why)).toBe(
			"Waiting for spot: none was available just now; next try at 2026-11-21 12:09 UTC; the deadline allows waiting until 2026-11-21 21:33 UTC, since non-spot capacity is available for $1.00 per hour, and spot costs $0.30.",
		);
		expect(why && waitingChanges(why).map(({ sentence }) => sentence)).toEqual([
			"At 2026-11-21 12:09 UTC Spillway requests spot capacity again, and launches if there is some.",
			"By 2026-11-21 21:33 UTC it starts on non-spot capacity, to meet its deadline.",
		]);
		const [home] = plan.explanations;
		expect(home?.candidates.map(({ offerId, removedBy }) => [offerId, removedBy?.why])).toEqual([
			[spot.id, "capacity_backoff"],
			[firm.id, "spot_worth_the_wait"],
		]);
	});

	it("requests spot when its pause is over, and firm capacity when the deadline allows no more waiting", () => {
		expect(at(NOON_MS + 10 * M).actions).toMatchObject([{ kind: "launch", offer: { id: spot.id } }]);
		const lastMs = NOON_MS + AMPLE_MS - WORK_MS - BOOT_MS - LEAST_MS;
		expect(at(lastMs + 1).actions).toMatchObject([{ kind: "launch", offer: { id: firm.id } }]);
	});
});
