import { describe, expect, it } from "vitest";
import type { DataRef } from "#server/domain/job.ts";
import { areasOf, outsideResidency } from "./residency.ts";

const bound = (...residency: string[]): DataRef => ({ uri: "s3://acme/claims", sizeGiB: 1, mount: "/data", residency });
describe("areas of cloud regions", () => {
	it("contain the union, exclude its neighbors that are not members, and have nothing for unknown regions", () => {
		expect(areasOf("aws", "eu-west-1")).toEqual(["ie", "eu", "eea"]);
		expect(areasOf("aws", "eu-west-2")).toEqual(["gb", "uk"]);
		expect(areasOf("aws", "eu-central-2")).toEqual(["ch"]);
		expect(areasOf("gcp", "europe-west10")).toEqual(["de", "eu", "eea"]);
		expect(areasOf("azure", "norwayeast")).toEqual(["no", "eea"]);
		expect(areasOf("aws", "mars-north-1")).toEqual([]);
		expect(areasOf("gcp", "europe-west15")).toEqual([]);
		expect(areasOf("local", "eu-west-1")).toEqual([]);
	});
});

describe("residency", () => {
	it("checks every data set that names areas, and treats an unknown region as outside", () => {
		expect(outsideResidency([], "aws", "us-east-1")).toBeNull();
		expect(outsideResidency([bound()], "aws", "us-east-1")).toBeNull();
		expect(outsideResidency([bound("eu", "uk")], "aws", "eu-west-2")).toBeNull();
		expect(outsideResidency([bound("eu")], "aws", "eu-west-2")).toEqual(["eu"]);
		expect(outsideResidency([bound("eu"), bound("de")], "aws", "eu-west-1")).toEqual(["de"]);
		expect(outsideResidency([bound("eu")], "aws", "mars-north-1")).toEqual(["eu"]);
	});
});
