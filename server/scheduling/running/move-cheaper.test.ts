import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { emptyRecord, withHours, withInterruption } from "../records.ts";
import { aJob, anOffer, aPolicy, aPool, aSnapshot, NOON_MS } from "../testing/builders.ts";
import { moveCheaper, moveOne } from "./move-cheaper.ts";
import { moverOf } from "./mover.ts";
import { inCloud, inputOf } from "./testing/input.ts";

const REGIONS = ["us-east-1", "us-west-2", "eu-west-1", "eu-north-1"];
const spot = fc.record({ usd: fc.integer({ min: 10, max: 400 }), hours: fc.integer({ min: 0, max: 400 }), interruptions: fc.nat(6) });

describe("the upper bound on the savings of a move to cheaper capacity", () => {
	it("rules out no attempt that would have moved", () => {
		let moved = 0;
		fc.assert(
			fc.property(
				fc.array(spot, { minLength: 2, maxLength: REGIONS.length }),
				fc.array(fc.record({ on: fc.nat(3), hours: fc.integer({ min: 1, max: 80 }) }), { minLength: 1, maxLength: 6 }),
				fc.integer({ min: 0, max: 20 }),
				fc.integer({ min: 0, max: 10 }),
				(spots, work, savingUsd, delayUsd) => {
					const offers = spots.map(({ usd }, i) =>
						anOffer({
							region: REGIONS[i] ?? "",
							usd: (usd / 100).toFixed(2),
							capacityType: "spot",
							onDemandMicroUsdPerHour: usdToMicro(9),
						}),
					);
					const offerRecords = new Map(
						offers.map((offer, i) => {
							let record = withHours(emptyRecord(NOON_MS), spots[i]?.hours ?? 0, NOON_MS);
							for (let n = 0; n < (spots[i]?.interruptions ?? 0); n++) record = withInterruption(record, NOON_MS - HOUR_MS);
							return [offer.id, record];
						}),
					);
					const running = work.flatMap(({ on, hours }, i) => {
						const offer = offers[on % offers.length];
						if (!offer) return [];
						const one = inCloud(aJob(`w${i}`).estimate(hours * HOUR_MS));
						return [{ ...one, offerId: offer.id, microUsdPerHour: offer.microUsdPerHour }];
					});
					const input = inputOf(
						aSnapshot({
							pools: [aPool()],
							offers,
							offerRecords,
							running,
							policy: aPolicy({
								rules: [["cheaper", null, { kind: "move", to: ["cheaper"], savingMicroUsd: usdToMicro(savingUsd) }]],
								weights: { delayMicroUsdPerHour: usdToMicro(delayUsd), carbonMicroUsdPerTonne: 0n },
							}),
						}),
					);
					const isProven = (offerId: string): boolean => running.some((attempt) => attempt.offerId === offerId);
					const tried = new Set<string>();
					const one = running.flatMap((attempt) => moveOne(input, attempt, isProven, tried) ?? []);
					const movers = running.flatMap((attempt) => moverOf(input, attempt) ?? []);
					expect(moveCheaper(input, movers)).toEqual(one);
					moved += one.length;
				},
			),
			{ numRuns: cases(60, 300) },
		);
		expect(moved).toBeGreaterThan(0);
	});
});
