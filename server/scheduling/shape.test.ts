import { expect, it } from "vitest";
import { openOfferBook } from "./offers.ts";
import { makeShapes } from "./shape.ts";
import { aJob, anOffer, aPolicy, aSnapshot, burstRule, denyRule } from "./testing/builders.ts";
import type { PendingJob } from "./types.ts";

it("filters the offers once for jobs with the same requirements and place rules, and again for any other", () => {
	const snapshot = aSnapshot({
		policy: aPolicy({
			rules: [
				["burst", 'job.team == "risk"', burstRule({ always: true })],
				["stays", 'job.team == "vision"', denyRule({ sites: ["cloud"] })],
			],
		}),
		offers: [anOffer({ gpus: 8, gangs: true })],
	});
	const shapeOf = makeShapes(snapshot.policy, [], openOfferBook(snapshot), snapshot.nowMs);
	const offersOf = ({ spec }: PendingJob, nodes = 1) => shapeOf({ ...spec, nodes }).offers();
	const risk = offersOf(aJob().team("risk").gpus(2).build());
	expect(risk.eligible).toHaveLength(1);
	expect(offersOf(aJob().team("search").gpus(2).build())).toBe(risk);
	expect(offersOf(aJob().team("vision").gpus(2).build()).eligible).toHaveLength(0);
	expect(offersOf(aJob().team("risk").gpus(16).build()).eligible).toHaveLength(0);
	expect(offersOf(aJob().team("risk").gpus(2).build(), 2)).not.toBe(risk);
});
