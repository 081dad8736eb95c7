import { expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { takeChoice } from "./choose-offer.ts";
import { noOfferLasts } from "./no-offer.ts";
import { aJob, anOffer, aPolicy, aSnapshot, NOON_MS } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";

const limited = anOffer({ region: "eu-west-1", usd: "1", quotaGpusFree: 1 });
const snapshot = aSnapshot({
	offers: [limited, anOffer({ usd: "2" })],
	policy: aPolicy({ rules: [["life", null, { kind: "limit", instanceMs: HOUR_MS, idleMs: null, gpuUtilisationBelow: null }]] }),
});
const long = (name: string) => aJob(name).estimate(3 * HOUR_MS);

it("gives jobs that outlive every machine one result, which changes when capacity is taken", () => {
	const { budgets, run, shape, choice } = chooseFor(snapshot, long("a").build());
	const next = (name: string) => noOfferLasts(shape.offers().eligible, long(name).build(), run, budgets, snapshot.nowMs);
	const first = next("b");
	expect(first).toEqual(choice);
	expect(first).toMatchObject({ kind: "none", main: { why: "life_too_short", count: 2 } });
	expect(next("c")).toBe(first);

	const short = chooseFor(snapshot, aJob("d").estimate(MINUTE_MS).build(), { budgets });
	expect(short.offerId).toBe(limited.id);
	if (short.choice.kind === "chosen") takeChoice(budgets, short.shape.verdict, short.choice, short.run);
	const after = next("e");
	expect(after).toMatchObject({ kind: "none", main: { why: "quota_exceeded", count: 1 } });
	expect(after?.passedOver.map(({ removal }) => removal.why)).toEqual(["quota_exceeded", "life_too_short"]);
});

it("computes the result of a job that an offer refused by itself", () => {
	const { budgets } = chooseFor(snapshot, long("a").build());
	const avoids = long("b")
		.avoids(limited.id, NOON_MS + HOUR_MS)
		.build();
	const { choice } = chooseFor(snapshot, avoids, { budgets });
	expect(choice.passedOver.map(({ removal }) => removal.why)).toEqual(["capacity_backoff", "life_too_short"]);
	expect(choice).toMatchObject({ kind: "none", main: { why: "life_too_short", count: 1 } });
});
