import type { MicroUsd } from "#server/kernel/money.ts";

/**
 * How an amount came about, which decides how it is written:
 * - `posted`: in the ledger. Cents, always.
 * - `estimate`: not yet true. "≈" and whole dollars, because more digits would claim more than is known.
 * - `whole`: known from the rate card, or a cap or a limit. Whole dollars without "≈".
 * - `price`: a unit price such as dollars an hour. Cents, and more digits where cents would hide it.
 * All of them show more digits when the amount is small, so that a real amount never reads as nothing.
 */
export type MoneyKind = "posted" | "estimate" | "whole" | "price";

export type MoneyText = {
	approximate: boolean;
	negative: boolean;
	dollars: string /** With its point, e.g. ".17"; empty when there is none. */;
	cents: string;
};

const MICRO = 1_000_000n;

export function toMicroUsd(value: MicroUsd | string): MicroUsd {
	return typeof value === "bigint" ? value : BigInt(value);
}

/** Integer arithmetic throughout: what is shown is the amount itself, rounded half away from zero once. */
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
	if (abs === 0n) return kind === "posted" || kind === "price" ? 2 : 0;
	if (kind === "estimate" || kind === "whole") {
		if (abs >= 10n * MICRO) return 0;
	}
	// Below ten cents: two digits that matter, down to the micro-dollar.
	if (abs >= 100_000n) return 2;
	if (abs >= 10_000n) return 3;
	if (abs >= 1_000n) return 4;
	if (abs >= 100n) return 5;
	return 6;
}

/** One string, e.g. "$1,234.17", "≈ $403", "−$0.0042". */
export function formatMoney(value: MicroUsd | string, kind: MoneyKind): string {
	const { approximate, negative, dollars, cents } = formatMoneyParts(value, kind);
	return `${approximate ? "≈ " : ""}${negative ? "−" : ""}$${dollars}${cents}`;
}

/** Exact to the micro-dollar, e.g. "$1,234.170042", for hovering and copying. */
export function formatMoneyExact(value: MicroUsd | string): string {
	const micro = toMicroUsd(value);
	const abs = micro < 0n ? -micro : micro;
	const dollars = (abs / MICRO).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	return `${micro < 0n ? "−" : ""}$${dollars}.${(abs % MICRO).toString().padStart(6, "0")}`;
}

/** Axis text such as "$6k", "$1.5k", "$0.02". A number of dollars, for axes only. */
export function formatAxisUsd(dollars: number): string {
	const abs = Math.abs(dollars);
	if (abs === 0) return "0";
	const sign = dollars < 0 ? "−" : "";
	if (abs >= 1_000_000) return `${sign}$${trim(abs / 1_000_000)}M`;
	if (abs >= 1_000) return `${sign}$${trim(abs / 1_000)}k`;
	return `${sign}$${trim(abs)}`;
}

const trim = (value: number) => (value >= 1 ? String(Math.round(value * 10) / 10) : String(Number(value.toPrecision(2))));
