import { describe, expect, it } from "vitest";
import type { DataRef } from "#server/domain/job.ts";
import carbonRegions from "#server/rates/data/carbon-regions.json" with { type: "json" };
import { areasOf, outsideResidency } from "./residency.ts";

const bound = (...residency: string[]): DataRef => ({ uri: "s3://acme/claims", sizeGiB: 1, mount: "/data", residency });
/** Regions whose grid zone in the carbon table is a neighbour's or a continent's. */
const ZONE_ELSEWHERE = new Set(["azure:asiapacific", "gcp:me-central1"]);

describe("areas of cloud regions", () => {
	it("agree with the grid zones of the carbon table", () => {
		const wrong = carbonRegions.rows.flatMap(([provider, region, zone]) => {
			if (typeof zone !== "string" || typeof region !== "string" || ZONE_ELSEWHERE.has(`${provider}:${region}`)) return [];
			const areas = areasOf(provider as "aws", region);
			return areas[0] === zone.slice(0, 2).toLowerCase() ? [] : [`${provider}:${region} is ${zone}, not ${areas.join(" ")}`];
		});
		expect(wrong).toEqual([]);
	});

	it("know the union, its neighbours that are not in it, and nothing of unknown regions", () => {
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
	it("asks every data set that names areas, and takes an unknown region for outside", () => {
		expect(outsideResidency([], "aws", "us-east-1")).toBeNull();
		expect(outsideResidency([bound()], "aws", "us-east-1")).toBeNull();
		expect(outsideResidency([bound("eu", "uk")], "aws", "eu-west-2")).toBeNull();
		expect(outsideResidency([bound("eu")], "aws", "eu-west-2")).toEqual(["eu"]);
		expect(outsideResidency([bound("eu"), bound("de")], "aws", "eu-west-1")).toEqual(["de"]);
		expect(outsideResidency([bound("eu")], "aws", "mars-north-1")).toEqual(["eu"]);
	});
});
