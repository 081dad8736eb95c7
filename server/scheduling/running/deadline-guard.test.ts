import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { LIMITS } from "../limits.ts";
import { emptyRecord } from "../records.ts";
import { restOfAttempt } from "../run-time.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, NOON_MS } from "../testing/builders.ts";
import type { Action, RunningAttempt, Snapshot } from "../types.ts";
import { planUrgent } from "./plan-running.ts";
import { inCloud, inputOf } from "./testing/input.ts";

const policy = aPolicy({ weights: { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n } });
const firm = anOffer({ usd: "1.00" });
const spot = anOffer({ usd: "0.30", capacityType: "spot" });
const FULL = [aPool({ freeSlots: [] })];

/** On spot, an hour into its run with half an hour saved; 6.5 h are left of a known length of 7.5 h. The P90 of a boot is 2 minutes. */
function onSpot(deadlineMs: number | null, part: Partial<RunningAttempt> = {}): RunningAttempt {
	const job = aJob("a")
		.estimate(7.5 * HOUR_MS)
		.max(7.5 * HOUR_MS);
	const base = inCloud(deadlineMs === null ? job : job.deadline(deadlineMs), { usd: "0.30", nextCheckpointAtMs: null, ...part });
	return { ...base, offerId: spot.id, savedMs: HOUR_MS / 2, placement: { ...base.placement, capacityType: "spot" } };
}
const NEEDED_MS = 6.5 * HOUR_MS + HOUR_MS / 2 + 2 * MINUTE_MS + LIMITS.restoreMs;

const urgent = (attempt: RunningAttempt, part: Partial<Snapshot> = {}): Action[] =>
	planUrgent(inputOf(aSnapshot({ policy, pools: FULL, offers: [spot, firm], running: [attempt], ...part })));

describe("a deadline on spot", () => {
	it("moves to firm capacity when the time left no longer allows an interruption, and not before", () => {
		expect(urgent(onSpot(NOON_MS + NEEDED_MS + LIMITS.nextChoiceWithinMs))).toEqual([]);
		expect(urgent(onSpot(NOON_MS + NEEDED_MS + LIMITS.nextChoiceWithinMs - 1))).toMatchObject([
			{
				kind: "move",
				atMs: NOON_MS,
				to: { kind: "cloud", offerId: firm.id },
				reason: { code: "moving_for_deadline", facts: { offerId: firm.id, slackMs: LIMITS.nextChoiceWithinMs - 1 } },
			},
		]);
	});

	it("goes home instead when there is room", () => {
		const [move] = urgent(onSpot(NOON_MS + NEEDED_MS), { pools: [aPool()] });
		expect(move).toMatchObject({ to: { kind: "home", poolId: "home-a", slots: [0] }, reason: { code: "moving_for_deadline" } });
		const slow = urgent(onSpot(NOON_MS + NEEDED_MS), { pools: [aPool({ speed: 0.5 })] });
		expect(slow).toMatchObject([{ to: { kind: "cloud", offerId: firm.id } }]);
	});

	it("waits for a checkpoint that the margin allows", () => {
		const at = NOON_MS + 3 * MINUTE_MS;
		const deadline = NOON_MS + NEEDED_MS + 4 * MINUTE_MS;
		expect(urgent(onSpot(deadline, { nextCheckpointAtMs: at }))).toMatchObject([{ atMs: at }]);
		expect(urgent(onSpot(deadline, { nextCheckpointAtMs: at + 2 * MINUTE_MS }))).toMatchObject([{ atMs: NOON_MS }]);
	});

	it("waits for the next checkpoint if that makes the deadline more likely", () => {
		const at = NOON_MS + 10 * MINUTE_MS;
		// Half of the runs need an hour more or less, and half an hour of work is not saved.
		const deadlineMs = NOON_MS + 1.5 * HOUR_MS + 2 * MINUTE_MS + LIMITS.restoreMs;
		const attempt = onSpot(deadlineMs, { nextCheckpointAtMs: at });
		const spec = { ...attempt.spec, duration: { estimateMs: 2 * HOUR_MS, maxMs: null } };
		const withInterruptions = (interruptions: number): Action[] => {
			const record = { ...emptyRecord(NOON_MS, true), instanceHours: 100, interruptions };
			return urgent({ ...attempt, spec }, { offerRecords: new Map([[spot.id, record]]) });
		};
		expect(withInterruptions(10)).toMatchObject([{ kind: "move", atMs: at }]);
		// Reclaimed about every minute.
		expect(withInterruptions(6000)).toMatchObject([{ kind: "move", atMs: NOON_MS }]);
	});

	it("keeps jobs that have no deadline, are on firm capacity, are lost anyway, or have nowhere to go", () => {
		expect(urgent(onSpot(null))).toEqual([]);
		const tight = onSpot(NOON_MS + NEEDED_MS);
		expect(urgent({ ...tight, placement: { ...tight.placement, capacityType: "on_demand" } })).toEqual([]);
		expect(urgent(onSpot(NOON_MS + 4 * HOUR_MS))).toEqual([]);
		expect(urgent(tight, { offers: [spot] })).toEqual([]);
		expect(urgent(tight)).toHaveLength(1);
	});

	it("always acts in time: while cycles come often enough, the move leaves enough time for the rest", () => {
		fc.assert(
			fc.property(fc.integer({ min: 0, max: 360 }), fc.integer({ min: 1, max: 5 }), (slackMinutes, stepMinutes) => {
				const deadlineMs = NOON_MS + NEEDED_MS + LIMITS.nextChoiceWithinMs + slackMinutes * MINUTE_MS;
				for (let nowMs = NOON_MS; nowMs < deadlineMs; nowMs += stepMinutes * MINUTE_MS) {
					const attempt = onSpot(deadlineMs);
					const snapshot = aSnapshot({
						nowMs,
						policy,
						pools: FULL,
						offers: [spot, firm],
						running: [attempt],
						priceMaxAgeMs: 100 * HOUR_MS,
					});
					const input = inputOf(snapshot);
					const [move] = planUrgent(input);
					if (!move) continue;
					const unsavedMs = nowMs - (attempt.startedAtMs ?? 0) - HOUR_MS / 2;
					const restMs = restOfAttempt(attempt, nowMs, input.runTimeOf).p90Ms + unsavedMs;
					expect(nowMs + restMs + 2 * MINUTE_MS + LIMITS.restoreMs).toBeLessThanOrEqual(deadlineMs);
					return;
				}
				expect.unreachable("it was never moved");
			}),
			{ numRuns: 50 },
		);
	});
});
