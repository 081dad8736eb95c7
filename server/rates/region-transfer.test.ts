import { expect, it } from "vitest";
import { internetEgress } from "./egress.ts";
import { regionTransferMicroUsdPerGiB, regionTransfers } from "./region-transfer.ts";

it.each([
	["aws:us-east-1", "aws:us-east-2", 10_000n],
	["aws:us-east-2", "aws:us-east-1", 10_000n],
	["aws:us-east-1", "aws:eu-west-1", 20_000n],
	["aws:eu-west-1", "aws:ap-southeast-2", 20_000n],
	["aws:me-south-1", "aws:eu-west-1", 110_500n],
	["aws:sa-east-1", "aws:us-east-1", 138_000n],
	["gcp:europe-west1", "gcp:europe-west4", 20_000n],
])("prices %s to %s at %s µ$ per GiB", (from, to, microUsd) => {
	expect(regionTransferMicroUsdPerGiB(from, to)).toBe(microUsd);
});

it.each([
	["two clouds", "aws:us-east-1", "gcp:us-central1"],
	["one region", "aws:us-east-1", "aws:us-east-1"],
	["an unlisted origin", "aws:ap-southeast-3", "aws:us-east-1"],
	["continents of Google Cloud", "gcp:europe-west1", "gcp:us-central1"],
	["Azure", "azure:eastus", "azure:westus"],
	["an owned site", "local", "aws:us-east-1"],
])("has no price for %s", (_, from, to) => {
	expect(regionTransferMicroUsdPerGiB(from, to)).toBeNull();
});

it("lists no price above the first tier to the internet, which is held where a price is missing, except for the most expensive origins", () => {
	const expensive = regionTransfers().filter(({ from, microUsdPerGiB }) => {
		const [provider, region = ""] = from.split(":");
		return provider === "aws" && microUsdPerGiB > (internetEgress("aws", region).tiers[0]?.microUsdPerGiB ?? 0n);
	});
	expect(expensive.map(({ from }) => from).sort()).toEqual(["aws:af-south-1", "aws:ap-southeast-2", "aws:me-south-1", "aws:sa-east-1"]);
});
