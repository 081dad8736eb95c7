import type { OfferLine } from "#components/capacity/offers.ts";
import { csvText, exactDollars } from "#components/csv/csv.ts";
import type { Outputs } from "#components/trpc/outputs.ts";

const dollars = (microUsd: string | null | undefined) => (microUsd == null ? "" : exactDollars(BigInt(microUsd)));

/** The offers as they are shown, a line for a region's cheapest zone; prices that are not known are empty. */
export function offersCsv(lines: readonly OfferLine[]): string {
	const place = ["Site", "Provider", "Region", "Cheapest zone", "Zones", "Instance type", "Capacity", "GPU model", "GPUs"];
	const price = ["USD an hour", "USD a GPU hour", "Disk USD a month", "Price read (UTC)", "Source", "Usable", "g CO2e per kWh"];
	const rows = lines.map(({ offer: o, zones }) => [
		...[o.siteId, o.provider, o.region, o.zone ?? "", String(zones), o.instanceType, o.capacityType, o.accelerator, String(o.gpus)],
		...[o.microUsdPerHour, o.microUsdPerGpuHour, o.disk?.microUsdPerMonth].map(dollars),
		...[o.priceObservedAt, o.priceSource],
		o.microUsdPerHour === null || o.priceStale || o.backoffUntil !== null ? "no" : "yes",
		o.gridGramsPerKwh === null ? "" : String(o.gridGramsPerKwh),
	]);
	return csvText([[...place, ...price], ...rows]);
}

/** The machines as they are shown. */
export function machinesCsv(machines: Outputs["instance"]["list"]["items"]): string {
	const place = ["Site", "Provider", "Region", "Zone", "Instance type", "Capacity", "GPU model", "GPUs"];
	const head = ["Machine", "Provider's id", "State", ...place, "Job", "Job name", "Team", "Rank"];
	const lines = machines.map((m) => [
		...[m.id, m.providerInstanceId ?? "", m.state, m.siteId, m.provider, m.region, m.zone ?? "", m.instanceType, m.capacityType],
		...[m.accelerator, String(m.gpus), m.jobId, m.jobName, m.team, String(m.rank), m.launchedAt ?? "", m.expiresAt],
		...[m.microUsdPerHour, m.costMicroUsd].map(dollars),
	]);
	return csvText([[...head, "Launched (UTC)", "Ends at the latest (UTC)", "USD an hour", "Cost so far USD"], ...lines]);
}
