import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { takeChoice } from "./choose-offer.ts";
import { aJob, anOffer, aSnapshot, NOON_MS } from "./testing/builders.ts";
import { chooseFor } from "./testing/choose.ts";

const onDemand = anOffer({ usd: "1.00" });
const reserved = anOffer({ capacityType: "reserved", usd: "0", reservedFree: 1, priceObservedAtMs: 0 });

describe("reserved capacity", () => {
	it("comes first at its marginal price, 0 included and however old, as long as some is free", () => {
		const snapshot = aSnapshot({ offers: [onDemand, reserved] });
		const first = chooseFor(snapshot, aJob("a").build());
		expect(first.choice).toMatchObject({ kind: "chosen", holdMicroUsd: 0n });
		expect(first.offerId).toBe(reserved.id);
		if (first.choice.kind === "chosen") takeChoice(first.budgets, first.shape.verdict, first.choice, first.run);
		const second = chooseFor(snapshot, aJob("b").build(), { budgets: first.budgets });
		expect(second.offerId).toBe(onDemand.id);
		expect(second.choice.passedOver).toMatchObject([{ removal: { why: "reserved_full", facts: { freeInstances: 0 } } }]);
	});

	it.each([
		["price_zero", { reservedFree: null }],
		["reserved_full", { reservedFree: 0 }],
		["price_missing", { microUsdPerHour: null }],
		["reserved_full", { reservedFree: 0, microUsdPerHour: usdToMicro("0.1"), priceObservedAtMs: NOON_MS }],
	] as const)("is excluded with %s, case %#", (why, part) => {
		const { offerId, shape } = chooseFor(aSnapshot({ offers: [onDemand, { ...reserved, ...part }] }), aJob().build());
		expect(offerId).toBe(onDemand.id);
		expect(shape.offers().removed).toMatchObject([{ why, count: 1 }]);
	});

	it("must last for the expected run and the time to save it: 61 min + 2 min", () => {
		const until = (ms: number) => ({ ...reserved, availableUntilMs: NOON_MS + ms });
		const chosen = (ms: number) => chooseFor(aSnapshot({ offers: [onDemand, until(ms)] }), aJob().build());
		expect(chosen(63 * MINUTE_MS).offerId).toBe(reserved.id);
		const short = chosen(63 * MINUTE_MS - 1);
		expect(short.offerId).toBe(onDemand.id);
		expect(short.choice.passedOver).toMatchObject([{ removal: { why: "reserved_too_short", facts: { neededMs: 63 * MINUTE_MS } } }]);
	});

	it("ends the instance's life when it ends", () => {
		const block = { ...reserved, microUsdPerHour: usdToMicro("0.5"), availableUntilMs: NOON_MS + 2 * HOUR_MS };
		const { choice } = chooseFor(aSnapshot({ offers: [block] }), aJob().build());
		// 2 h of life and 5 min until its end is detected, at $0.50
		expect(choice).toMatchObject({ kind: "chosen", lifeMs: 2 * HOUR_MS, holdMicroUsd: 1_041_667n });
		expect(chooseFor(aSnapshot({ offers: [onDemand] }), aJob().build()).choice).toMatchObject({ lifeMs: DAY_MS });
	});
});

describe("quotas", () => {
	it("are respected and shared by the offers of a model and capacity type in a region, and the next offer is used", () => {
		const big = anOffer({ instanceType: "g5.12xlarge", gpus: 4, usd: "0.5", quotaGpusFree: 5 });
		const small = anOffer({ usd: "0.8", quotaGpusFree: 5 });
		const snapshot = aSnapshot({ offers: [big, small, anOffer({ region: "eu-west-1", usd: "3" })] });
		let budgets = chooseFor(snapshot, aJob().build()).budgets;
		const taken = ["a", "b", "c"].map((name) => {
			const next = chooseFor(snapshot, aJob(name).build(), { budgets });
			budgets = next.budgets;
			if (next.choice.kind === "chosen") takeChoice(budgets, next.shape.verdict, next.choice, next.run);
			return next.offerId;
		});
		expect(taken).toEqual([big.id, small.id, "aws:eu-west-1:*:g5.xlarge:on_demand"]);
	});

	it("for cores are shared by all offers that they name, and the reason names them", () => {
		const quota = { name: "lowPriorityCores", unit: "cores", limit: 100, used: 72 } as const;
		const big = anOffer({ instanceType: "g5.12xlarge", gpus: 4, vcpus: 24, usd: "0.5", quota, quotaGpusFree: 4 });
		const small = anOffer({ accelerator: "L4-24GB", vcpus: 4, usd: "0.8", quota, quotaGpusFree: 7 });
		const snapshot = aSnapshot({ offers: [big, small, anOffer({ region: "eu-west-1", usd: "3" })] });
		let budgets = chooseFor(snapshot, aJob().build()).budgets;
		const taken = ["a", "b", "c"].map((name) => {
			const next = chooseFor(snapshot, aJob(name).build(), { budgets });
			budgets = next.budgets;
			if (next.choice.kind === "chosen") takeChoice(budgets, next.shape.verdict, next.choice, next.run);
			return next;
		});
		// 28 cores are free: 24 and 4 of them, then none.
		expect(taken.map((t) => t.offerId)).toEqual([big.id, small.id, "aws:eu-west-1:*:g5.xlarge:on_demand"]);
		expect(taken[2]?.choice.passedOver.map((p) => p.removal)).toMatchObject([
			{ why: "quota_exceeded", facts: { quota: "lowPriorityCores", unit: "cores", limit: 100, used: 72, freeGpus: 0, askedGpus: 4 } },
			{ why: "quota_exceeded", facts: { freeGpus: 0, askedGpus: 1 } },
		]);
	});

	it("that are too small for the job exclude the offer with the numbers", () => {
		const { shape, offerId } = chooseFor(aSnapshot({ offers: [{ ...onDemand, gpus: 8, quotaGpusFree: 4 }] }), aJob().gpus(8).build());
		expect(offerId).toBeNull();
		expect(shape.offers().removed).toMatchObject([{ why: "quota_exceeded", facts: { freeGpus: 4, askedGpus: 8 } }]);
		expect(shape.offers().possible).toBe(true);
	});
});

describe("accelerators other than GPUs", () => {
	it("are selected by their name", () => {
		const tpu = anOffer({ instanceType: "ct5lp-hightpu-8t", accelerator: "TPU-v5e", gpus: 8, usd: "9" });
		expect(chooseFor(aSnapshot({ offers: [onDemand, tpu] }), aJob().gpus(8).accelerators("TPU-v5e").build()).offerId).toBe(tpu.id);
		expect(chooseFor(aSnapshot({ offers: [onDemand] }), aJob().accelerators("TPU-v5e").build()).offerId).toBeNull();
	});

	it.each(["TPU-v5e", "Trainium2"])("are not used for jobs that did not name them, however cheap: %s", (accelerator) => {
		const other = anOffer({ instanceType: "other", accelerator, gpus: 8, usd: "0.01" });
		expect(chooseFor(aSnapshot({ offers: [onDemand, other] }), aJob().build()).offerId).toBe(onDemand.id);
		const { offerId, shape } = chooseFor(aSnapshot({ offers: [other] }), aJob().build());
		expect(offerId).toBeNull();
		expect(shape.offers().removed).toMatchObject([{ why: "hardware_accelerator", facts: { asked: "a GPU", has: accelerator } }]);
		expect(chooseFor(aSnapshot({ offers: [other] }), aJob().accelerators(accelerator).build()).offerId).toBe(other.id);
	});
});
