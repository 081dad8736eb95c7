import type { Site } from "#components/capacity/lead.ts";
import type { OfferLine } from "#components/capacity/offers.ts";
import { regionsOf } from "#components/capacity/regions.ts";
import { exactDollars } from "#components/csv/csv.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { csvText } from "#server/kernel/csv.ts";

const dollars = (microUsd: string | null | undefined) => (microUsd == null ? "" : exactDollars(BigInt(microUsd)));

/** Offers as CSV, one line per region at its cheapest zone; unknown prices are empty. */
export function offersCsv(lines: readonly OfferLine[]): string {
	const place = ["Site", "Provider", "Region", "Cheapest zone", "Zones", "Instance type", "Capacity", "GPU model", "GPUs"];
	const price = ["Hourly USD", "USD per GPU-hour", "Disk USD per month", "Price read (UTC)", "Source", "Usable", "g CO2e per kWh"];
	const rows = lines.map(({ offer: o, zones }) => [
		...[o.siteId, o.provider, o.region, o.zone ?? "", String(zones), o.instanceType, o.capacityType, o.accelerator, String(o.gpus)],
		...[o.microUsdPerHour, o.microUsdPerGpuHour, o.disk?.microUsdPerMonth].map(dollars),
		...[o.priceObservedAt, o.priceSource],
		o.microUsdPerHour === null || o.priceStale || o.backoffUntil !== null ? "no" : "yes",
		o.gridGramsPerKwh === null ? "" : String(o.gridGramsPerKwh),
	]);
	return csvText([[...place, ...price], ...rows]);
}

function preparedText({
	kind,
	name,
	state,
	problem,
}: NonNullable<Outputs["instance"]["list"]["items"][number]["prepared"]>[number]): string {
	return `${kind} ${name}: ${state}${problem === null ? "" : ` (${problem})`}`;
}

/** Machines as CSV. */
export function machinesCsv(machines: Outputs["instance"]["list"]["items"]): string {
	const place = ["Site", "Provider", "Region", "Zone", "Instance type", "Capacity", "GPU model", "GPUs"];
	const head = ["Machine", "Provider ID", "State", ...place, "Job", "Job name", "Team", "Rank"];
	const lines = machines.map((m) => [
		...[m.id, m.providerInstanceId ?? "", m.state, m.siteId, m.provider, m.region, m.zone ?? "", m.instanceType, m.capacityType],
		...[
			m.accelerator,
			String(m.gpus),
			m.jobId ?? "",
			m.jobName ?? "",
			m.team,
			String(m.rank),
			m.launchedAt ?? "",
			m.fencedAt ?? "",
			m.expiresAt,
		],
		...[m.microUsdPerHour, m.costMicroUsd].map(dollars),
		...[m.warm?.ruleId ?? "", m.warm?.until ?? "", m.warm ? (m.warm.stopped ? "yes" : "no") : ""],
		(m.prepared ?? []).map(preparedText).join("; "),
	]);
	const times = ["Launched (UTC)", "Disconnected since (UTC)", "Expires (UTC)"];
	return csvText([
		[...head, ...times, "Hourly USD", "Cost so far USD", "Prewarm rule", "Kept warm until (UTC)", "Stopped", "Prepared"],
		...lines,
	]);
}

/** Sites as CSV, each followed by its pools or regions with health and reason. */
export function sitesCsv(sites: readonly Site[]): string {
	const answers = (answer: boolean | null) => (answer === null ? "unknown" : answer ? "yes" : "no");
	const lines = sites.flatMap((s) => {
		const gpus = [String(s.gpusBusy), s.gpusTotal === null ? "" : String(s.gpusTotal), ""];
		const health = s.enabled ? answers(s.healthy) : "disabled";
		return [
			[
				s.id,
				s.provider,
				"site",
				s.name,
				"",
				...gpus,
				String(s.instancesLive),
				dollars(s.burnMicroUsdPerHour),
				health,
				s.healthMessage ?? "",
				s.lastSeenAt ?? "",
			],
			...s.pools.map((p) => [
				...[s.id, s.provider, "pool", p.id, p.accelerator, String(p.busy), String(p.gpus), String(p.unavailable), ""],
				...[dollars(p.microUsdPerGpuHour), "", "", ""],
			]),
			...(s.kind === "cloud" ? regionsOf(s) : []).map((r) => [
				...[s.id, s.provider, "region", r.region, "", "", "", "", "", "", answers(r.answers), r.why ?? ""],
				s.lastSweep === null || r.answers === null ? "" : new Date(s.lastSweep.atMs).toISOString(),
			]),
		];
	});
	const head = ["Site", "Provider", "Type", "Name", "GPU model", "GPUs in use", "GPUs", "Out of service", "Machines"];
	return csvText([[...head, "Hourly USD (pool: per GPU)", "Reachable", "Reason", "Last seen (UTC)"], ...lines]);
}

/** A cluster's own queue as CSV: running jobs, then queued jobs in cluster order, each with its adoption status. */
export function queueCsv(siteId: string, jobs: Outputs["site"]["queue"]["items"]): string {
	const head = ["Site", "Job", "Name", "Owner", "Partition", "Pool", "Nodes", "GPUs", "State", "Reason", "Queue position", "Dependencies"];
	const times = ["Submitted (UTC)", "Started (UTC)", "Time limit (min)"];
	const lines = jobs.map((j) => [
		...[siteId, j.id, j.name, j.user, j.partition, j.poolId ?? "", String(j.nodes), String(j.gpus), j.state, j.waitingReason ?? ""],
		...[j.position === null ? "" : String(j.position + 1), j.dependsOn ?? "", j.submittedAt ?? "", j.startedAt ?? ""],
		...[j.timeLimitMs === null ? "" : String(Math.round(j.timeLimitMs / 60_000)), j.optedIn ? "yes" : "no"],
		...[j.adoption?.state ?? "", j.adoption?.jobId ?? "", j.adoption?.problem ?? j.notAdopted.join(" ")],
	]);
	return csvText([[...head, ...times, "Opted in", "Adoption", "Adopted as", "Reason not adopted"], ...lines]);
}
