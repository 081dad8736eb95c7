import { describe, expect, it } from "vitest";
import { placeOfOfferId, shownPlace } from "./placement.ts";

describe("shownPlace", () => {
	it("names an owned location by site, a cloud by provider and region", () => {
		expect(shownPlace({ capacityType: "owned", siteId: "hall-b", provider: "slurm", region: null })).toEqual({
			capacity: "owned",
			provider: "hall-b",
			region: null,
		});
		expect(shownPlace({ capacityType: "spot", siteId: "aws-main", provider: "aws", region: "us-east-2" })).toEqual({
			capacity: "spot",
			provider: "aws",
			region: "us-east-2",
		});
	});
});

describe("placeOfOfferId", () => {
	it("parses an offer ID", () => {
		expect(placeOfOfferId("aws:us-east-2:us-east-2a:p5.48xlarge:on_demand")).toEqual({
			capacity: "on_demand",
			provider: "aws",
			region: "us-east-2",
			instanceType: "p5.48xlarge",
		});
	});
	it.each(["", "aws", "aws:us-east-2:*:p5.48xlarge:free", "a:b:c:d:spot:f", null, 7])("returns null for %j", (id) => {
		expect(placeOfOfferId(id)).toBeNull();
	});
});
