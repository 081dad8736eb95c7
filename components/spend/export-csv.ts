import type { SpendRow } from "./prepare-table.ts";
import { BY_LABEL, type SpendBy } from "./range.ts";

const MICRO = 1_000_000n;

/** Dollars with all six digits, as a machine reads them. */
export function exactDollars(microUsd: bigint): string {
	const abs = microUsd < 0n ? -microUsd : microUsd;
	return `${microUsd < 0n ? "-" : ""}${abs / MICRO}.${(abs % MICRO).toString().padStart(6, "0")}`;
}

/**
 * The table as it is shown, as CSV (RFC 4180): the same rows in the same order, money in US dollars to the micro-dollar.
 * A text that a spreadsheet would take for a formula gets an apostrophe in front.
 */
export function spendCsv(rows: readonly SpendRow[], by: SpendBy, range: { fromMs: number; toMs: number }): string {
	const day = (ms: number) => new Date(ms).toISOString();
	const head = [BY_LABEL[by], "Owned USD", "Cloud USD", "Total USD", "Share", "GPU hours", "USD per GPU hour", "From (UTC)", "To (UTC)"];
	const lines = rows.map((row) => [
		row.label,
		exactDollars(row.ownedMicroUsd),
		exactDollars(row.cloudMicroUsd),
		exactDollars(row.totalMicroUsd),
		row.share.toFixed(6),
		(Number(row.gpuMs) / 3_600_000).toFixed(4),
		row.microUsdPerGpuHour === null ? "" : exactDollars(row.microUsdPerGpuHour),
		day(range.fromMs),
		day(range.toMs),
	]);
	return `${[head, ...lines].map((line) => line.map(field).join(",")).join("\r\n")}\r\n`;
}

function field(text: string): string {
	const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
