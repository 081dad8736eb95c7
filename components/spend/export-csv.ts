import type { ChargeLine } from "./prepare-charges.ts";
import type { SpendRow } from "./prepare-table.ts";

const MICRO = 1_000_000n;
type Range = { fromMs: number; toMs: number };

/** Dollars with all six digits, as a machine reads them. */
export function exactDollars(microUsd: bigint): string {
	const abs = microUsd < 0n ? -microUsd : microUsd;
	return `${microUsd < 0n ? "-" : ""}${abs / MICRO}.${(abs % MICRO).toString().padStart(6, "0")}`;
}

const iso = (ms: number) => new Date(ms).toISOString();
const hours = (gpuMs: bigint) => (Number(gpuMs) / 3_600_000).toFixed(4);

/** The table as it is shown, as CSV (RFC 4180): the same rows in the same order, money in US dollars to the micro-dollar. */
export function spendCsv(rows: readonly SpendRow[], by: string, range: Range): string {
	const money = ["Owned used USD", "Owned idle USD", "Cloud USD", "Total USD"];
	const head = [by, ...money, "Share", "GPU hours used", "USD per GPU hour", "Against before", "From (UTC)", "To (UTC)"];
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
	return csv([head, ...lines]);
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

/** Jobs as they are shown. */
export function jobsCsv(jobs: readonly JobSum[], range: Range): string {
	const head = ["Job", "Name", "Team", "Project", "Class", "State", "GPU hours", "Total USD", "Charges", "From (UTC)", "To (UTC)"];
	const lines = jobs.map((job) => [
		...[job.key, job.name, job.team, job.project, job.class, job.state, hours(job.gpuMs), exactDollars(job.totalMicroUsd)],
		...[String(job.charges), iso(range.fromMs), iso(range.toMs)],
	]);
	return csv([head, ...lines]);
}

/** Charges as they are shown, with what was left out on the screen for want of room. */
export function chargesCsv(charges: readonly ChargeLine[]): string {
	const money = ["List USD", "Contracted USD", "Effective USD", "Billed USD"];
	const place = ["Site", "Provider", "Region", "Capacity", "GPU model"];
	const head = ["Charge", "From (UTC)", "To (UTC)", "Kind", "Correction", "Team", "Project", "Class", ...place, "GPU hours", ...money];
	const lines = charges.map((c) => [
		...[c.id, iso(c.periodStartMs), iso(c.periodEndMs), c.dimensions.kind, c.correction ?? ""],
		...[c.dimensions.team, c.dimensions.project, c.dimensions.class],
		...[c.dimensions.siteId, c.dimensions.provider, c.dimensions.region, c.dimensions.capacityType, c.dimensions.accelerator],
		...[hours(c.gpuMs), ...[c.listMicroUsd, c.contractedMicroUsd, c.effectiveMicroUsd, c.billedMicroUsd].map(exactDollars)],
		...[c.jobId ?? "", c.cause.kind, c.cause.id],
	]);
	return csv([[...head, "Job", "Cause", "Cause id"], ...lines]);
}

const csv = (lines: readonly (readonly string[])[]) => `${lines.map((line) => line.map(csvField).join(",")).join("\r\n")}\r\n`;

/** A field of a CSV file that a spreadsheet takes for text, never for a formula. */
export function csvField(text: string): string {
	const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Hands a text out as a file. */
export function saveCsv(name: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	URL.revokeObjectURL(url);
}
