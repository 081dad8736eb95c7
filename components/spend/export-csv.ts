import { exactDollars, exactKilos } from "#components/csv/csv.ts";
import { csvText } from "#server/kernel/csv.ts";
import type { ChargeLine } from "./prepare-charges.ts";
import type { SpendRow } from "./prepare-table.ts";

type Range = { fromMs: number; toMs: number };

const iso = (ms: number) => new Date(ms).toISOString();
const hours = (gpuMs: bigint) => (Number(gpuMs) / 3_600_000).toFixed(4);

/** The table as CSV (RFC 4180), in the same order, with exact US dollars. */
export function spendCsv(rows: readonly SpendRow[], by: string, range: Range): string {
	const money = ["Owned used USD", "Owned idle USD", "Cloud USD", "Total USD"];
	const head = [by, ...money, "Share", "GPU-hours used", "USD per GPU-hour", "Change from previous", "From (UTC)", "To (UTC)"];
	const lines = rows.map((row) => [
		row.label,
		...[row.owned, row.idle, row.cloud, row.total].map((cell) => exactDollars(cell.microUsd)),
		row.share.toFixed(6),
		hours(row.gpuMs),
		row.microUsdPerGpuHour === null ? "" : exactDollars(row.microUsdPerGpuHour),
		row.change === null ? "" : row.change.toFixed(6),
		iso(range.fromMs),
		iso(range.toMs),
	]);
	return csvText([head, ...lines]);
}

export interface JobSum {
	key: string;
	name: string;
	team: string;
	project: string;
	class: string;
	state: string;
	totalMicroUsd: bigint;
	gpuMs: bigint;
	charges: number;
}

/** Jobs as CSV. */
export function jobsCsv(jobs: readonly JobSum[], range: Range): string {
	const head = ["Job", "Name", "Team", "Project", "Class", "State", "GPU-hours", "Total USD", "Charges", "From (UTC)", "To (UTC)"];
	const lines = jobs.map((job) => [
		...[job.key, job.name, job.team, job.project, job.class, job.state, hours(job.gpuMs), exactDollars(job.totalMicroUsd)],
		...[String(job.charges), iso(range.fromMs), iso(range.toMs)],
	]);
	return csvText([head, ...lines]);
}

/** Charges as CSV, including columns not shown for lack of space. */
export function chargesCsv(charges: readonly ChargeLine[]): string {
	const money = ["List USD", "Contracted USD", "Effective USD", "Billed USD"];
	const place = ["Site", "Provider", "Region", "Capacity", "GPU model"];
	const head = ["Charge", "From (UTC)", "To (UTC)", "Kind", "Correction", "Team", "Project", "Class", ...place, "GPU-hours", ...money];
	const lines = charges.map((c) => [
		...[c.id, iso(c.periodStartMs), iso(c.periodEndMs), c.dimensions.kind, c.correction ?? ""],
		...[c.dimensions.team, c.dimensions.project, c.dimensions.class],
		...[c.dimensions.siteId, c.dimensions.provider, c.dimensions.region, c.dimensions.capacityType, c.dimensions.accelerator],
		...[hours(c.gpuMs), ...[c.listMicroUsd, c.contractedMicroUsd, c.effectiveMicroUsd, c.billedMicroUsd].map(exactDollars)],
		...[c.jobId ?? "", c.cause.kind, c.cause.id],
		...[c.energyMilliWh, c.measuredEnergyMilliWh, c.hourlyGridMilliWh, c.emissionsMilligrams, c.embodiedMilligrams].map(exactKilos),
	]);
	const energy = ["Energy kWh", "Measured kWh", "of it by the hour's grid kWh", "Operational kg CO2e", "Embodied kg CO2e"];
	return csvText([[...head, "Job", "Cause", "Cause ID", ...energy], ...lines]);
}
