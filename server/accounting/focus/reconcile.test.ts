import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, type BilledResource, type ChargedInstance, isZero, type Money, NO_MONEY, reconcileInstance } from "./reconcile.ts";

const HOUR = 3_600_000n;
const same = (amount: bigint): Money => ({ list: amount, contracted: amount, effective: amount, billed: amount });
const billed = (micro: bigint, ms: bigint | null, lines = 3): BilledResource => ({
	money: same(micro),
	lines,
	ms,
	otherMicroUsd: 0n,
	disks: false,
});
const charged = (micro: bigint, ms: bigint, changes: Partial<ChargedInstance> = {}): ChargedInstance => ({
	...{ metered: same(micro), charges: 3, ms, postedPrice: NO_MONEY, postedTime: NO_MONEY, disks: NO_MONEY },
	...changes,
});
const NOT_FINAL = { final: false };

describe("reconciling a bill with the ledger", () => {
	it("$1.212600 billed and $1.212600 metered over 3 h: matched, nothing to post", () => {
		const found = reconcileInstance(billed(1_212_600n, 3n * HOUR), charged(1_212_600n, 3n * HOUR), NOT_FINAL);
		expect(found).toMatchObject({ state: "matched", price: NO_MONEY, time: NO_MONEY, adjusted: NO_MONEY });
	});

	it("3 lines and 3 charges may differ by 6 micro-dollars of rounding: matched; a difference of 7 is a variance", () => {
		expect(reconcileInstance(billed(1_000_006n, HOUR), charged(1_000_000n, HOUR), NOT_FINAL).state).toBe("matched");
		expect(reconcileInstance(billed(1_000_007n, HOUR), charged(1_000_000n, HOUR), NOT_FINAL).state).toBe("price_variance");
	});

	it("4 h billed, 3 h metered at $0.40: 1 h x $0.40 = $0.40 for time, nothing for price", () => {
		const found = reconcileInstance(billed(1_600_000n, 4n * HOUR), charged(1_200_000n, 3n * HOUR), NOT_FINAL);
		expect(found).toMatchObject({ state: "time_variance", time: same(400_000n), price: NO_MONEY });
	});

	it("3 h at $0.42 billed, at $0.40 metered: 3 x $0.02 = $0.06 for price", () => {
		const found = reconcileInstance(billed(1_260_000n, 3n * HOUR), charged(1_200_000n, 3n * HOUR), NOT_FINAL);
		expect(found).toMatchObject({ state: "price_variance", price: same(60_000n), time: NO_MONEY });
	});

	it("4 h at $0.42 billed, 3 h at $0.40 metered: $0.40 for time and 4 x $0.02 = $0.08 for price", () => {
		const found = reconcileInstance(billed(1_680_000n, 4n * HOUR), charged(1_200_000n, 3n * HOUR), NOT_FINAL);
		expect(found).toMatchObject({ state: "time_variance", time: same(400_000n), price: same(80_000n), adjusted: same(480_000n) });
	});

	it("a second reconciliation of a bill that grew from 4 h to 5 h posts the new hour: $0.80 - $0.40 = $0.40", () => {
		const before = charged(1_200_000n, 3n * HOUR, { postedTime: same(400_000n) });
		expect(reconcileInstance(billed(2_000_000n, 5n * HOUR), before, NOT_FINAL).time).toEqual(same(400_000n));
	});

	it("usage missing from the bill is reported and kept; once the bill is final it is reversed", () => {
		expect(reconcileInstance(null, charged(1_200_000n, 3n * HOUR), NOT_FINAL)).toMatchObject({ state: "not_billed", time: NO_MONEY });
		expect(reconcileInstance(null, charged(1_200_000n, 3n * HOUR), { final: true }).time).toEqual(same(-1_200_000n));
	});

	it("after posting, metered + posted equals the billed amount, and the same bill again posts nothing", () => {
		const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
		const money = fc.record({ list: amount, contracted: amount, effective: amount, billed: amount });
		const signed = fc.record({ list: fc.bigInt(-1000n, 1000n), contracted: amount, effective: amount, billed: amount });
		fc.assert(
			fc.property(
				money,
				money,
				signed,
				signed,
				fc.option(fc.bigInt({ min: 0n, max: 10n ** 9n })),
				fc.bigInt({ min: 0n, max: 10n ** 9n }),
				(bill, metered, price, time, billMs, ms) => {
					const resource = { money: bill, lines: 1, ms: billMs, otherMicroUsd: 0n, disks: false };
					const first = { metered, charges: 1, ms, postedPrice: price, postedTime: time, disks: NO_MONEY };
					const found = reconcileInstance(resource, first, NOT_FINAL);
					const postedPrice = add(price, found.price, 1n);
					const postedTime = add(time, found.time, 1n);
					const held = add(add(metered, postedPrice, 1n), postedTime, 1n);
					if (found.state !== "matched") expect(held).toEqual(bill);
					const again = reconcileInstance(resource, { ...first, postedPrice, postedTime }, NOT_FINAL);
					expect([isZero(again.price), isZero(again.time)]).toEqual([true, true]);
				},
			),
		);
	});
});
