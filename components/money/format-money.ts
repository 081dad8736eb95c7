import type { MicroUsd } from "#server/kernel/money.ts";

/**
 * The kind of an amount decides its format: - `posted`: in the ledger; always cents. - `estimate`: "≈" and whole
 * dollars; more digits would overstate precision. - `whole`: a rate card, cap or limit; whole dollars without "≈". -
 * `price`: a unit price such as dollars per hour; cents, or finer if needed. Small amounts always get more digits so
 * that they do not round to zero.
 */
export type MoneyKind = "posted" | "estimate" | "whole" | "price";

export type MoneyText = {
	approximate: boolean;
	negative: boolean;
	dollars: string /** With the decimal point, such as ".17"; empty if none. */;
	cents: string;
};

const MICRO = 1_000_000n;
/** A tenth of a cent: the least amount that a narrow table cell writes out. */
const CELL_LEAST = 1_000n;

/**
 * Parts of an amount for a narrow table cell, where a cut-off number would be read as another one: whole dollars from
 * $1,000 on; null below a tenth of a cent, which cells show as "<$0.001".
 */
export function formatCellParts(value: MicroUsd | string, kind: MoneyKind): MoneyText | null {
	const micro = toMicroUsd(value);
	const abs = micro < 0n ? -micro : micro;
	if (abs !== 0n && abs < CELL_LEAST) return null;
	const isLarge = kind === "posted" && abs >= 1_000n * MICRO;
	return formatMoneyParts(value, isLarge ? "whole" : kind);
}

export function toMicroUsd(value: MicroUsd | string): MicroUsd {
	return typeof value === "bigint" ? value : BigInt(value);
}

/** Integer arithmetic throughout; rounds half away from zero once. */
export function formatMoneyParts(value: MicroUsd | string, kind: MoneyKind): MoneyText {
	const micro = toMicroUsd(value);
	const negative = micro < 0n;
	const abs = negative ? -micro : micro;
	const digits = fractionDigits(abs, kind);
	const unit = 10n ** BigInt(6 - digits);
	const rounded = (abs + unit / 2n) / unit;
	const scale = 10n ** BigInt(digits);
	const dollars = (rounded / scale).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	const cents = digits === 0 ? "" : `.${(rounded % scale).toString().padStart(digits, "0")}`;
	return { approximate: kind === "estimate" && abs !== 0n, negative: negative && rounded !== 0n, dollars, cents };
}

function fractionDigits(abs: bigint, kind: MoneyKind): number {
	// Zero has one form, whatever it is next to.
	if (abs === 0n) return 2;
	if ((kind === "estimate" || kind === "whole") && abs >= 10n * MICRO) return 0;
	// Below ten cents: two significant digits, at most micro-dollars.
	if (abs >= 100_000n) return 2;
	if (abs >= 10_000n) return 3;
	if (abs >= 1_000n) return 4;
	if (abs >= 100n) return 5;
	return 6;
}

/** One string, such as "$1,234.17", "≈ $403", "−$0.0042". */
export function formatMoney(value: MicroUsd | string, kind: MoneyKind): string {
	const { approximate, negative, dollars, cents } = formatMoneyParts(value, kind);
	return `${approximate ? "≈ " : ""}${negative ? "−" : ""}$${dollars}${cents}`;
}

/** Exact to the micro-dollar, such as "$1,234.170042", for hover and copy. */
export function formatMoneyExact(value: MicroUsd | string): string {
	const micro = toMicroUsd(value);
	const abs = micro < 0n ? -micro : micro;
	const dollars = (abs / MICRO).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	return `${micro < 0n ? "−" : ""}$${dollars}.${(abs % MICRO).toString().padStart(6, "0")}`;
}

/** Axis label such as "$6k", "$1.5k", "$0.02". Takes a number of dollars, for axes only. */
export function formatAxisUsd(dollars: number): string {
	const abs = Math.abs(dollars);
	if (abs === 0) return "0";
	const sign = dollars < 0 ? "−" : "";
	if (abs >= 1_000_000) return `${sign}$${trim(abs / 1_000_000)}M`;
	if (abs >= 1_000) return `${sign}$${trim(abs / 1_000)}k`;
	return `${sign}$${trim(abs)}`;
}

const trim = (value: number) => (value >= 1 ? String(Math.round(value * 10) / 10) : String(Number(value.toPrecision(2))));
