import { describe, expect, it } from "vitest";
import { ACCELERATOR_NAMES } from "./accelerators.ts";
import { gridIntensity } from "./carbon.ts";
import aws from "./data/aws-offers.json" with { type: "json" };
import { priceOutliers } from "./integrity.ts";
import { findOffer, listOffers, offerRegions, RATED_PROVIDERS, readOfferFile } from "./offers.ts";

/** Fewer rows than this mean that a refresh lost data. */
const ROW_FLOOR = { aws: 600, azure: 350, gcp: 300 };
const REGION_FLOOR = { aws: 25, azure: 30, gcp: 20 };
/** Regions with offers but without an average in any source. One more means lost data; remove one that is resolved. */
const NO_CARBON = { aws: ["ap-southeast-5"], azure: ["jioindiacentral", "malaysiawest", "qatarcentral"], gcp: [] as string[] };

describe.each(RATED_PROVIDERS)("the %s offers of the snapshot", (provider) => {
	const rates = listOffers(provider);

	it("are as many as a complete snapshot has", () => {
		expect(rates.length).toBeGreaterThanOrEqual(ROW_FLOOR[provider]);
		expect(offerRegions(provider).length).toBeGreaterThanOrEqual(REGION_FLOOR[provider]);
	});

	it("each have a price above zero, a spot price below on-demand, a source and a date", () => {
		for (const rate of rates) {
			expect(rate.onDemand.microUsdPerHour).toBeGreaterThan(0n);
			if (rate.spot) {
				expect(rate.spot.microUsdPerHour).toBeGreaterThan(0n);
				expect(rate.spot.microUsdPerHour).toBeLessThan(rate.onDemand.microUsdPerHour);
			}
			for (const price of [rate.onDemand, ...(rate.spot ? [rate.spot] : [])]) {
				expect(price.source).not.toBe("");
				expect(Date.parse(price.asOf)).toBeGreaterThan(Date.parse("2024-01-01"));
				expect(Date.parse(price.asOf)).toBeLessThan(Date.parse("2027-01-01"));
			}
			expect(rate.onDemand.estimate).toBe(false);
		}
	});

	it("name canonical accelerators and whole numbers of GPUs", () => {
		for (const rate of rates) {
			expect([...ACCELERATOR_NAMES, "TPU-v5p", "TPU-v6e"]).toContain(rate.accelerator);
			expect(Number.isInteger(rate.gpus) && rate.gpus > 0).toBe(true);
			expect(rate.vcpus).toBeGreaterThan(0);
			expect(rate.memoryGiB).toBeGreaterThan(0);
		}
	});

	it("are each either of a region or of its zones, and zones begin with their region", () => {
		const regional = new Set(rates.filter((r) => r.zone === null).map((r) => `${r.instanceType}/${r.region}`));
		for (const rate of rates.filter((r) => r.zone !== null)) {
			expect(regional).not.toContain(`${rate.instanceType}/${rate.region}`);
			expect(rate.zone).toMatch(new RegExp(`^${rate.region}-?[a-z]$`));
		}
	});

	it("have no price ten times off its neighbors", () => {
		expect(priceOutliers(rates)).toEqual([]);
	});

	it("are in regions with known carbon, except the listed ones", () => {
		expect(offerRegions(provider).filter((region) => gridIntensity(provider, region) === null)).toEqual(NO_CARBON[provider]);
	});
});

describe("AWS", () => {
	it("has every supported family", () => {
		const families = new Set(listOffers("aws").map((rate) => rate.instanceType.split(".")[0]));
		expect([...families].sort()).toEqual(["g4dn", "g5", "g6", "g6e", "p3", "p3dn", "p4d", "p4de", "p5", "p5en", "p6-b200"]);
	});

	it("has no P4 or P5 price from before the cut of June 2025", () => {
		const cut = listOffers("aws").filter((rate) => /^p(4|5)/.test(rate.instanceType));
		expect(cut.length).toBeGreaterThan(50);
		expect(cut.filter((rate) => rate.onDemand.asOf < "2025-06-30")).toEqual([]);
	});

	it("finds a zone by its own row, else by its region's", () => {
		expect(findOffer("aws", "p4d.24xlarge", "us-east-1", "us-east-1b")?.zoneId).toBe("use1-az2");
		expect(findOffer("aws", "g5.xlarge", "us-east-1", "us-east-1b")).toMatchObject({
			zone: null,
			onDemand: { microUsdPerHour: 1_006_000n },
		});
		expect(findOffer("aws", "p4d.24xlarge", "us-east-1", "us-east-1c")).toBeNull();
		expect(findOffer("aws", "no.such", "us-east-1", null)).toBeNull();
	});
});

describe("a broken snapshot is rejected", () => {
	/** The first row with one column changed; columns as in `offers.ts`. */
	const broken = (column: number, value: string | null): unknown => ({
		...aws,
		rows: [aws.rows[0]?.map((cell, i) => (i === column ? value : cell))],
	});
	it.each([
		["no price", 4, ""],
		["a price of zero", 4, "0"],
		["a negative price", 4, "-1"],
		["a spot price of zero", 6, "0"],
		["spot as expensive as on-demand", 6, aws.rows[0]?.[4] ?? null],
		["an undescribed source", 5, "hearsay"],
		["an undescribed type", 0, "x1.huge"],
	])("%s", (_, column, value) => {
		expect(() => readOfferFile(broken(column, value))).toThrow();
	});

	it("the unchanged row is accepted", () => {
		expect(readOfferFile(broken(-1, null))).toHaveLength(1);
	});

	it("no rows", () => {
		expect(() => readOfferFile({ ...aws, rows: [] })).toThrow();
	});

	it("a misplaced decimal point is detected as an outlier", () => {
		const rates = listOffers("aws").map((rate, i) =>
			i === 7 ? { ...rate, onDemand: { ...rate.onDemand, microUsdPerHour: rate.onDemand.microUsdPerHour * 20n } } : rate,
		);
		expect(priceOutliers(rates).map((outlier) => outlier.what)).toContain("on_demand_of_type");
	});
});
