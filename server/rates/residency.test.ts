import { describe, expect, it } from "vitest";
import { areasOf } from "#server/scheduling/residency.ts";
import carbonRegions from "./data/carbon-regions.json" with { type: "json" };

/** Regions for which the carbon table uses a neighbor's or a continent's grid zone. */
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
});
