import { exactDollars } from "#components/csv/csv.ts";
import { csvText } from "#server/kernel/csv.ts";
import type { CommitmentLine } from "./commitment-draft.ts";
import type { DiscountLine } from "./discount-draft.ts";

/** Discounts as CSV. Patterns are space-separated; empty means all. */
export function discountsCsv(lines: readonly DiscountLine[]): string {
	const rows = lines.map((d) => [
		...[d.id, d.siteId, d.capacityType, d.percent, d.instanceFamilies.join(" "), d.regions.join(" "), d.from, d.to ?? ""],
		...[String(d.offersNow), d.source],
	]);
	const head = ["Discount", "Site", "Capacity", "Discount (%)", "Instance families", "Regions", "From (UTC)", "To (UTC)"];
	return csvText([[...head, "Matching offers", "Source"], ...rows]);
}

/** Commitments as CSV. Amounts are totals for all machines. */
export function commitmentsCsv(lines: readonly CommitmentLine[]): string {
	const rows = lines.map((c) => [
		...[c.id, c.siteId, c.kind, c.instanceType, c.accelerator, String(c.instances), c.region ?? "", c.zone ?? "", c.reservation ?? ""],
		...[exactDollars(BigInt(c.upfrontMicroUsd)), exactDollars(BigInt(c.hourlyMicroUsd)), c.from, c.to],
	]);
	const what = ["Commitment", "Site", "Kind", "Instance type", "GPU model", "Machines", "Region", "Zone", "Provider ID"];
	return csvText([[...what, "Upfront USD", "Hourly USD", "From (UTC)", "To (UTC)"], ...rows]);
}
