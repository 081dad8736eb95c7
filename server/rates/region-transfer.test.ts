import { expect, it } from "vitest";
import { egressMicroUsdPerGiB } from "./egress.ts";
import type { RatedProvider } from "./offers.ts";
import { regionTransferMicroUsdPerGiB, regionTransfers } from "./region-transfer.ts";

it.each([
	["aws:us-east-1", "aws:us-east-2", 10_000n],
	["aws:us-east-2", "aws:us-east-1", 10_000n],
	["aws:us-east-1", "aws:eu-west-1", 20_000n],
	["aws:eu-west-1", "aws:ap-southeast-2", 20_000n],
	["aws:me-south-1", "aws:eu-west-1", 110_500n],
	["aws:sa-east-1", "aws:us-east-1", 138_000n],
	["gcp:europe-west1", "gcp:europe-west4", 20_000n],
	["azure:eastus", "azure:westus", 20_000n],
	["azure:westeurope", "azure:uksouth", 20_000n],
])("prices %s to %s at %s µ$ per GiB", (from, to, microUsd) => {
	expect(regionTransferMicroUsdPerGiB(from, to)).toBe(microUsd);
});

it.each([
	["two clouds", "aws:us-east-1", "gcp:us-central1"],
	["one region", "aws:us-east-1", "aws:us-east-1"],
	["an unlisted origin", "aws:ap-southeast-3", "aws:us-east-1"],
	["continents of Google Cloud", "gcp:europe-west1", "gcp:us-central1"],
	["continents of Azure", "azure:eastus", "azure:westeurope"],
	["other continents within Azure", "azure:southeastasia", "azure:japaneast"],
	["an owned site", "local", "aws:us-east-1"],
])("has no price for %s", (_, from, to) => {
	expect(regionTransferMicroUsdPerGiB(from, to)).toBeNull();
});

it("lists no price above the most expensive tier to the internet, which is held where a price is missing", () => {
	for (const { from, microUsdPerGiB } of regionTransfers()) {
		const [provider, region = ""] = from.split(":");
		expect(microUsdPerGiB).toBeLessThanOrEqual(egressMicroUsdPerGiB(provider as RatedProvider, region));
	}
});
