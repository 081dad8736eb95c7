import { HOUR_MS } from "#server/kernel/units.ts";

/** Number formats for the PDF and the CSV, which have no UI components. Exact integers, rounded half away from zero once. */

/** "-1,234.17": dollars and cents. A nonzero amount below one cent is not shown as zero. */
export function dollars(microUsd: string | bigint): string {
	const value = BigInt(microUsd);
	const abs = value < 0n ? -value : value;
	if (abs > 0n && abs < 5_000n) return value < 0n ? "> -0.01" : "< 0.01";
	return `${value < 0n ? "-" : ""}${grouped(abs, 10_000n, 2)}`;
}

/** "-1234.170042": dollars to the micro-dollar, machine-readable. */
export function exactDollars(microUsd: string | bigint): string {
	const value = BigInt(microUsd);
	const abs = value < 0n ? -value : value;
	return `${value < 0n ? "-" : ""}${abs / 1_000_000n}.${(abs % 1_000_000n).toString().padStart(6, "0")}`;
}

/** "1,216.4" GPU-hours. */
export const gpuHours = (gpuMs: string): string => signed(gpuMs, BigInt(HOUR_MS) / 10n, 1);
/** Milligrams as kilograms, with one decimal. */
export const kilograms = (milligrams: string): string => signed(milligrams, 100_000n, 1);
/** Milliwatt-hours as kilowatt-hours. */
export const kilowattHours = (milliWh: string): string => signed(milliWh, 100_000n, 1);

/** value / (unit × 10^digits) with this many decimals and no digit grouping, machine-readable. */
export function decimal(value: string, unit: bigint, digits: number): string {
	return signed(value, unit, digits).replaceAll(",", "");
}

function signed(text: string, unit: bigint, digits: number): string {
	const value = BigInt(text);
	return value < 0n ? `-${grouped(-value, unit, digits)}` : grouped(value, unit, digits);
}

/** `unit` is the last digit shown. */
function grouped(abs: bigint, unit: bigint, digits: number): string {
	const rounded = (abs + unit / 2n) / unit;
	const scale = 10n ** BigInt(digits);
	const whole = (rounded / scale).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	return digits === 0 ? whole : `${whole}.${(rounded % scale).toString().padStart(digits, "0")}`;
}

/** "3 Nov 2026, 06:00 UTC". */
export function moment(at: Date): string {
	const text = at.toUTCString();
	const [, day = "", month = "", year = "", time = ""] = /^\w+, (\d+) (\w+) (\d+) (\d\d:\d\d)/.exec(text) ?? [];
	return `${Number(day)} ${month} ${year}, ${time} UTC`;
}
