import { describe, expect, it } from "vitest";
import { readCsv } from "#components/csv/read-csv.testing.ts";
import { type CommitmentLine, commitmentDraft, describeCommitment, readCommitment } from "./commitment-draft.ts";
import { type DiscountLine, describeDiscount, discountDraft, readDiscount, sentDiscount } from "./discount-draft.ts";
import { commitmentsCsv, discountsCsv } from "./export-csv.ts";

const edp: DiscountLine = {
	...{ id: "edp", siteId: "aws", capacityType: "on_demand", percent: "12.5", instanceFamilies: ["p5", "g5"], regions: ["aws:us-*"] },
	...{ from: "2026-01-01T09:30:00+01:00", to: null, source: "EDP of 2026-01, annex 2", offersNow: 3 },
};
const block: CommitmentLine = {
	...{ id: "block", siteId: "aws", kind: "reservation", region: "us-east-1", zone: null, reservation: "cr-1", instanceType: "p5.48xlarge" },
	...{ accelerator: "H100-80GB", instances: 2, upfrontMicroUsd: "0", hourlyMicroUsd: "31500000" },
	...{ from: "2026-11-01T00:00:00Z", to: "2026-12-01T00:00:00Z" },
};

it("describes a commitment or discount with scope, dates and price", () => {
	expect(describeDiscount(edp)).toBe("p5, g5, aws:us-*, from 2026-01-01; 3 matching offers. EDP of 2026-01, annex 2");
	const everywhere = { ...edp, instanceFamilies: [], regions: [], to: "2029-01-01T00:00:00Z", offersNow: 1 };
	expect(describeDiscount(everywhere)).toContain("every type and region, from 2026-01-01 to 2029-01-01; 1 matching offer.");
	expect(describeCommitment(block)).toBe(
		"Reserved: H100-80GB, us-east-1, cr-1; $0.00 upfront and $31.50 per hour, from 2026-11-01 to 2026-12-01",
	);
});

describe("discount form", () => {
	it("round-trips a discount, including the time of day", () => {
		expect(readDiscount(discountDraft(edp, ""), edp)).toEqual(sentDiscount(edp));
	});

	it("writes a changed day as its first instant in UTC", () => {
		const draft = { ...discountDraft(edp, ""), from: "2026-02-01", to: "2027-01-01" };
		expect(readDiscount(draft, edp)).toMatchObject({ from: "2026-02-01T00:00:00Z", to: "2027-01-01T00:00:00Z" });
	});

	it.each([
		["no name", { id: " " }],
		["a name with spaces", { id: "a b" }],
		["no discount", { percent: "0" }],
		["more than the total", { percent: "100" }],
		["a word", { percent: "much" }],
		["an end before the start", { to: "2026-01-01" }],
		["no source", { source: " " }],
		["no beginning", { from: "" }],
	])("rejects %s", (_, changes) => {
		expect(readDiscount({ ...discountDraft(edp, ""), ...changes }, edp)).toBeNull();
	});
});

describe("commitment form", () => {
	it("round-trips a commitment", () => {
		expect(readCommitment(commitmentDraft(block, ""), block)).toEqual(block);
	});

	it("parses dollars as people type them", () => {
		expect(readCommitment({ ...commitmentDraft(block, ""), upfrontUsd: "$1,250.50" }, block)).toMatchObject({
			upfrontMicroUsd: "1250500000",
		});
	});

	it.each([
		["an amount of zero", { hourlyUsd: "0" }],
		["no machine", { instances: "0" }],
		["a zone without its region", { region: "", zone: "us-east-1a" }],
		["an end before the start", { to: "2026-10-01" }],
		["no accelerator", { accelerator: "" }],
	])("rejects %s", (_, changes) => {
		expect(readCommitment({ ...commitmentDraft(block, ""), ...changes }, block)).toBeNull();
	});
});

it("exports whole instants and exact dollars; open values are empty", () => {
	expect(readCsv(discountsCsv([edp]))[0]).toMatchObject({
		...{ Discount: "edp", "Discount (%)": "12.5", "Instance families": "p5 g5", Regions: "aws:us-*", "To (UTC)": "" },
		...{ "From (UTC)": "2026-01-01T09:30:00+01:00", "Matching offers": "3", Source: "EDP of 2026-01, annex 2" },
	});
	expect(readCsv(commitmentsCsv([block]))[0]).toMatchObject({
		...{ Commitment: "block", Kind: "reservation", Machines: "2", Zone: "", "Provider ID": "cr-1" },
		...{ "Upfront USD": "0.000000", "Hourly USD": "31.500000", "To (UTC)": "2026-12-01T00:00:00Z" },
	});
});
