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

it("an agreement is told with where it counts, its days and its price", () => {
	expect(describeDiscount(edp)).toBe("p5, g5, aws:us-*, from 2026-01-01; in 3 offers now. EDP of 2026-01, annex 2");
	const everywhere = { ...edp, instanceFamilies: [], regions: [], to: "2029-01-01T00:00:00Z", offersNow: 1 };
	expect(describeDiscount(everywhere)).toContain("every type and region, from 2026-01-01 until 2029-01-01; in 1 offer now.");
	expect(describeCommitment(block)).toBe(
		"Reserved: H100-80GB, us-east-1, cr-1; $0.00 upfront and $31.50 an hour, from 2026-11-01 until 2026-12-01",
	);
});

describe("a discount's form", () => {
	it("gives back what it was filled from, the instant within its day too", () => {
		expect(readDiscount(discountDraft(edp, ""), edp)).toEqual(sentDiscount(edp));
	});

	it("writes a changed day as its first instant in UTC", () => {
		const draft = { ...discountDraft(edp, ""), from: "2026-02-01", to: "2027-01-01" };
		expect(readDiscount(draft, edp)).toMatchObject({ from: "2026-02-01T00:00:00Z", to: "2027-01-01T00:00:00Z" });
	});

	it.each([
		["no name", { id: " " }],
		["a name with blanks", { id: "a b" }],
		["no discount", { percent: "0" }],
		["more than there is", { percent: "100" }],
		["a word", { percent: "much" }],
		["an end before its beginning", { to: "2026-01-01" }],
		["no source", { source: " " }],
		["no beginning", { from: "" }],
	])("cannot be sent with %s", (_, changes) => {
		expect(readDiscount({ ...discountDraft(edp, ""), ...changes }, edp)).toBeNull();
	});
});

describe("a commitment's form", () => {
	it("gives back what it was filled from", () => {
		expect(readCommitment(commitmentDraft(block, ""), block)).toEqual(block);
	});

	it("reads dollars as people type them", () => {
		expect(readCommitment({ ...commitmentDraft(block, ""), upfrontUsd: "$1,250.50" }, block)).toMatchObject({
			upfrontMicroUsd: "1250500000",
		});
	});

	it.each([
		["nothing to pay", { hourlyUsd: "0" }],
		["no machine", { instances: "0" }],
		["a zone without its region", { region: "", zone: "us-east-1a" }],
		["an end before its beginning", { to: "2026-10-01" }],
		["no accelerator", { accelerator: "" }],
	])("cannot be sent with %s", (_, changes) => {
		expect(readCommitment({ ...commitmentDraft(block, ""), ...changes }, block)).toBeNull();
	});
});

it("the lists are handed out with whole instants and dollars to the micro-dollar; what is open is empty", () => {
	expect(readCsv(discountsCsv([edp]))[0]).toMatchObject({
		...{ Discount: "edp", "Percent off the list": "12.5", "Instance families": "p5 g5", Regions: "aws:us-*", "Until (UTC)": "" },
		...{ "From (UTC)": "2026-01-01T09:30:00+01:00", "Offers now": "3", "Written in": "EDP of 2026-01, annex 2" },
	});
	expect(readCsv(commitmentsCsv([block]))[0]).toMatchObject({
		...{ Commitment: "block", Kind: "reservation", Machines: "2", Zone: "", "Provider's name": "cr-1" },
		...{ "Upfront USD": "0.000000", "USD an hour": "31.500000", "Until (UTC)": "2026-12-01T00:00:00Z" },
	});
});
