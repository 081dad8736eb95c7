import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MoveKind } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { openBudgets } from "../budget.ts";
import { coreAt } from "../memo.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, NOON_MS } from "../testing/builders.ts";
import type { OfferRecord, RunningAttempt, Snapshot } from "../types.ts";
import { planRunning } from "./plan-running.ts";
import { runningInput } from "./running-input.ts";
import { inCloud, inputOf } from "./testing/input.ts";

const INTERVAL_MS = 15 * MINUTE_MS;
const work = fc.record({
	dear: fc.boolean(),
	estimateMinutes: fc.integer({ min: 5, max: 600 }),
	ranMinutes: fc.integer({ min: -10, max: 900 }),
});
interface Work {
	dear: boolean;
	estimateMinutes: number;
	ranMinutes: number;
}

/** Work on two offers of $2 and $1, with facts that change over time. */
function snapshotOf(works: readonly Work[], saving: Record<MoveKind, number>, clock: { nowMs: number }): Snapshot {
	const offers = [anOffer({ region: "dear-1", usd: 2 }), anOffer({ region: "cheap-1", usd: 1 })];
	const running = works.flatMap(({ dear, estimateMinutes, ranMinutes }, i): RunningAttempt[] => {
		const offer = offers[dear ? 0 : 1];
		if (!offer) return [];
		const startMs = NOON_MS - ranMinutes * MINUTE_MS;
		return [
			{
				...inCloud(aJob(`w${i}`).estimate(estimateMinutes * MINUTE_MS)),
				offerId: offer.id,
				microUsdPerHour: offer.microUsdPerHour,
				expiresAtMs: null,
				get startedAtMs() {
					return clock.nowMs >= startMs ? startMs : null;
				},
				get nextCheckpointAtMs() {
					return startMs + Math.max(1, Math.ceil((clock.nowMs - startMs) / INTERVAL_MS)) * INTERVAL_MS;
				},
			},
		];
	});
	const rule = (to: MoveKind): [string, null, { kind: "move"; to: MoveKind[]; savingMicroUsd: bigint }] => [
		`to-${to}`,
		null,
		{ kind: "move", to: [to], savingMicroUsd: usdToMicro((saving[to] / 100).toFixed(2)) },
	];
	return aSnapshot({
		nowMs: clock.nowMs,
		pools: [aPool({ gpusPerNode: 8 })],
		offers,
		running,
		policy: aPolicy({
			rules: [rule("home"), rule("cheaper")],
			weights: { delayMicroUsdPerHour: usdToMicro(1), carbonMicroUsdPerTonne: 0n },
		}),
	});
}

const someWork = fc.array(work, { minLength: 1, maxLength: 6 });
const someRecord = fc.record({
	instanceHours: fc.integer({ min: 0, max: 200 }),
	interruptions: fc.integer({ min: 0, max: 40 }),
	refusals: fc.integer({ min: 0, max: 5 }),
	launches: fc.integer({ min: 0, max: 5 }),
});
const someStep = fc.record({ minutes: fc.integer({ min: 1, max: 12 }), record: fc.option(fc.tuple(someRecord, someRecord)) });
const someSaving = fc.record({ home: fc.integer({ min: 0, max: 400 }), cheaper: fc.integer({ min: 0, max: 400 }) });

describe("attempts that are checked for a move", () => {
	it("include all that would move: skipped attempts would not", () => {
		let moves = 0;
		fc.assert(
			fc.property(someWork, someSaving, fc.integer({ min: 0, max: 300 }), (works, saving, minutes) => {
				const snapshot = snapshotOf(works, saving, { nowMs: NOON_MS + minutes * MINUTE_MS });
				const { movable: _, ...everybody } = inputOf(snapshot);
				const actions = planRunning(inputOf(snapshot));
				expect(actions).toEqual(planRunning(everybody));
				moves += actions.length;
			}),
			{ numRuns: cases(60, 300) },
		);
		expect(moves).toBeGreaterThan(0);
	});

	it("are the same whether the last check was just now, long ago or never, while offer records improve", () => {
		let [moved, passed] = [0, 0];
		fc.assert(
			fc.property(someWork, someSaving, fc.array(someStep, { maxLength: 60 }), (works, saving, steps) => {
				const clock = { nowMs: NOON_MS };
				let snapshot = snapshotOf(works, saving, clock);
				const memo = { kept: new Map<string, unknown>() };
				let records: Snapshot["offerRecords"];
				for (const { minutes, record } of steps) {
					clock.nowMs += minutes * MINUTE_MS;
					if (record) records = new Map(snapshot.offers.map(({ id }, i) => [id, { ...record[i % 2], atMs: clock.nowMs } as OfferRecord]));
					snapshot = { ...snapshot, nowMs: clock.nowMs, ...(records && { offerRecords: records }) };
					const { movable: _, ...everybody } = inputOf(snapshot);
					const watched = planRunning(runningInput(snapshot, coreAt(snapshot, memo), openBudgets(snapshot.budgets), new Set()));
					expect(watched).toEqual(planRunning(everybody));
					moved += watched.length;
					passed += snapshot.running.length - watched.length;
				}
			}),
			{ numRuns: cases(60, 300) },
		);
		expect(moved).toBeGreaterThan(0);
		expect(passed).toBeGreaterThan(0);
	});
});
