import { describe, expect, it } from "vitest";
import { chargesQuery, chargesViewOf, loadChargesParams } from "../spend/view.ts";
import { billsHref, billsOfStatement, billsQuery } from "./params.ts";
import { machineCharges, postedCharges, whyOf } from "./prepare-rows.ts";

describe("bill difference reasons", () => {
	it.each([
		["matched", { lines: 3 }, "3 lines match"],
		["matched", { lines: 1, disksNotOnBillMicroUsd: "30000" }, "1 line matches; disk $0.030 not billed, kept as an estimate"],
		["price_variance", { lines: 3, priceMicroUsd: "300000", timeMicroUsd: "0" }, "+$0.30 from price in 3 lines"],
		[
			"time_variance",
			{ lines: 4, billedMs: 14_400_000, meteredMs: 10_800_000, timeMicroUsd: "1000000", priceMicroUsd: "-250000" },
			"4 h billed, 3 h metered: −$0.25 from price, +$1.00 from duration",
		],
		["billed_unknown", { lines: 2, taggedInstanceId: "ins_x" }, "2 lines tagged ins_x; no such machine in the ledger"],
		["not_billed", { meteredMs: 1, final: 0 }, "Not billed yet; reversed if missing from the final bill"],
		["not_billed", { meteredMs: 1, final: 1 }, "Not on the final bill: reversed"],
	] as const)("%s", (state, facts, said) => expect(whyOf({ state, facts })).toBe(said));
});

describe("addresses", () => {
	it("link to a machine's charges in the month, and to those posted from bills", () => {
		const november = "/spend/charges?from=2026-11-01&to=2026-11-30&cause=ins_1";
		expect(machineCharges("2026-11", "ins_1")).toBe(`${november}&bills=2026-11`);
		expect(machineCharges("2026-11", "ins_1", true)).toBe(`${november}&correction=bill_price,bill_time&bills=2026-11`);
		expect(machineCharges("2026-11", null)).toBeNull();
	});
	it.each(["UTC", "Europe/Berlin", "Pacific/Auckland", "Asia/Kolkata"])("use UTC month boundaries in a %s ledger", (zone) => {
		const view = chargesViewOf(loadChargesParams(new URL(machineCharges("2026-11", "ins_1") ?? "", "http://x").searchParams), zone);
		expect(chargesQuery(view, 0)).toMatchObject({ fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1), cause: "ins_1" });
	});
	it("link to what one reconciliation posted", () => {
		const run = { at: "2026-12-02T06:00:00.000Z", since: "2026-12-01T06:00:00.000Z" };
		const month = "/spend/charges?from=2026-11-01&to=2026-11-30&provider=aws";
		expect(postedCharges("2026-11", run, { provider: "aws", what: "corrections" })).toBe(
			`${month}&kind=adjustment&correction=bill_price,bill_time,bill_unknown&asOf=${run.at}&since=${run.since}&bills=2026-11`,
		);
		expect(postedCharges("2026-11", { ...run, since: null }, { provider: "aws", what: "invoice_items" })).toBe(
			`${month}&kind=credit,tax&asOf=${run.at}&bills=2026-11`,
		);
	});
	it("link from a statement to the bills of its team and provider", () => {
		expect(billsOfStatement({ month: "2026-11", team: "risk" }, "aws")).toBe("/statements/2026-11/bills?provider=aws&team=risk");
		expect(billsHref({ month: "2026-11" })).toBe("/statements/2026-11/bills");
		expect(billsQuery({ month: "2026-11", team: "", provider: "gcp", state: null, resource: "r" })).toEqual({
			month: "2026-11",
			provider: "gcp",
		});
	});
});
