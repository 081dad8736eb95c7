import { describe, expect, it } from "vitest";
import { averagePue, gridIntensity, gridZoneOf, homeIntensity, listHomeZones, regionsWithoutAverage } from "./carbon.ts";
import { embodiedEmissions } from "./embodied.ts";

describe("grid intensity", () => {
	it("has the figures of the source for a cloud region", () => {
		expect(gridIntensity("aws", "us-east-1")).toMatchObject({ gramsPerKwh: 396.25, pue: 1.15, year: 2024, quality: "average" });
		expect(gridIntensity("aws", "eu-north-1")).toMatchObject({ gramsPerKwh: 24.71, pue: 1.1 });
	});

	it("is null, not 0, when unknown", () => {
		expect(regionsWithoutAverage()).toContain("aws/ca-west-1");
		expect(gridIntensity("aws", "ca-west-1")).toBeNull();
		expect(gridIntensity("aws", "nowhere-1")).toBeNull();
		expect(homeIntensity("XX")).toBeNull();
	});

	it("gives home the zone's figure from the cloud in the same zone, with the PUE of a machine room", () => {
		expect(homeIntensity("US-MIDA-PJM")).toMatchObject({ gramsPerKwh: 396.25, pue: 1.58 });
		expect(homeIntensity("GB")?.gramsPerKwh).toBe(gridIntensity("aws", "eu-west-2")?.gramsPerKwh);
		expect(listHomeZones().length).toBeGreaterThan(40);
	});

	it("has the zone of a region, the key of hourly figures", () => {
		expect(gridZoneOf("aws", "eu-central-1")).toBe("DE");
		expect(gridZoneOf("aws", "us-east-1")).toBe("US-MIDA-PJM");
		expect(gridZoneOf("aws", "nowhere-1")).toBeNull();
		expect(gridZoneOf("local", "")).toBeNull();
	});

	it("has average PUEs", () => {
		expect(averagePue("on_premises").pue).toBe(1.58);
		expect(averagePue("aws").pue).toBe(1.135);
	});
});

describe("embodied emissions", () => {
	it("share a server by vCPUs over four years: 3010.79 kg × 4/96 / 35,040 h = 3.580 g/h", () => {
		const one = embodiedEmissions("aws", "g4dn.xlarge");
		expect(one?.share).toBeCloseTo(4 / 96, 10);
		expect(one?.gramsPerHour).toBeCloseTo(3.58, 3);
		expect(embodiedEmissions("aws", "p4d.24xlarge")?.share).toBe(1);
	});

	it("are null for machines missing from every source", () => {
		expect(embodiedEmissions("aws", "p5.48xlarge")).toBeNull();
	});
});
