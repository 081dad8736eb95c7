import { csvText, exactDollars } from "#components/csv/csv.ts";
import type { CommitmentLine } from "./commitment-draft.ts";
import type { DiscountLine } from "./discount-draft.ts";

/** The agreed discounts as they are listed; patterns with spaces between them, no pattern: all. */
export function discountsCsv(lines: readonly DiscountLine[]): string {
	const rows = lines.map((d) => [
		...[d.id, d.siteId, d.capacityType, d.percent, d.instanceFamilies.join(" "), d.regions.join(" "), d.from, d.to ?? ""],
		...[String(d.offersNow), d.source],
	]);
	const head = ["Discount", "Site", "Capacity", "Percent off the list", "Instance families", "Regions", "From (UTC)", "Until (UTC)"];
	return csvText([[...head, "Offers now", "Written in"], ...rows]);
}

/** What is reserved and committed, as it is listed; amounts are of all its machines together. */
export function commitmentsCsv(lines: readonly CommitmentLine[]): string {
	const rows = lines.map((c) => [
		...[c.id, c.siteId, c.kind, c.instanceType, c.accelerator, String(c.instances), c.region ?? "", c.zone ?? "", c.reservation ?? ""],
		...[exactDollars(BigInt(c.upfrontMicroUsd)), exactDollars(BigInt(c.hourlyMicroUsd)), c.from, c.to],
	]);
	const what = ["Commitment", "Site", "Kind", "Instance type", "GPU model", "Machines", "Region", "Zone", "Provider's name"];
	return csvText([[...what, "Upfront USD", "USD an hour", "From (UTC)", "Until (UTC)"], ...rows]);
}
