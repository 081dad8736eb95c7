import { describe, expect, it } from "vitest";
import { billsHref, billsOfStatement, billsQuery } from "./params.ts";
import { machineCharges, whyOf } from "./prepare-rows.ts";

describe("why the two sides differ", () => {
	it.each([
		["matched", { lines: 3 }, "3 lines say the same"],
		[
			"matched",
			{ lines: 1, disksNotOnBillMicroUsd: "30000" },
			"1 line says the same; its disk, $0.030, is not on the bill and stays an estimate",
		],
		["price_variance", { lines: 3, priceMicroUsd: "300000", timeMicroUsd: "0" }, "+$0.30 by price in 3 lines"],
		[
			"time_variance",
			{ lines: 4, billedMs: 14_400_000, meteredMs: 10_800_000, timeMicroUsd: "1000000", priceMicroUsd: "-250000" },
			"4 h 00 billed, 3 h 00 metered: −$0.25 by price, +$1.00 by time",
		],
		["billed_unknown", { lines: 2, taggedInstanceId: "ins_x" }, "2 lines with our tag ins_x, and no such machine in the ledger"],
		["not_billed", { meteredMs: 1, final: 0 }, "No line has it so far; taken back once the bill is final"],
		["not_billed", { meteredMs: 1, final: 1 }, "No line has it, and the bill is final: taken back"],
	] as const)("%s", (state, facts, said) => expect(whyOf({ state, facts })).toBe(said));
});

describe("addresses", () => {
	it("of a machine's charges in the month, and of those that bills posted; not where days are not those of bills", () => {
		const november = "/spend/charges?from=2026-11-01&to=2026-11-30&cause=ins_1";
		expect(machineCharges("2026-11", "UTC", "ins_1")).toBe(november);
		expect(machineCharges("2026-11", "UTC", "ins_1", true)).toBe(`${november}&correction=bill_price,bill_time`);
		expect(machineCharges("2026-11", "Europe/Berlin", "ins_1")).toBeNull();
		expect(machineCharges("2026-11", "UTC", null)).toBeNull();
	});
	it("of a statement's bills: of its team and the provider", () => {
		expect(billsOfStatement({ month: "2026-11", team: "risk" }, "aws")).toBe("/statements/2026-11/bills?provider=aws&team=risk");
		expect(billsHref({ month: "2026-11" })).toBe("/statements/2026-11/bills");
		expect(billsQuery({ month: "2026-11", team: "", provider: "gcp", state: null, resource: "r" })).toEqual({
			month: "2026-11",
			provider: "gcp",
		});
	});
});
