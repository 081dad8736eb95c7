import { PLAIN_FORMATTERS } from "#server/domain/sentence-facts.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";

/** Placeholder for unknown or inapplicable values. */
export const NONE = "–";

const USD = 1_000_000n;
const CENT = 10_000n;

/** Dollars with enough digits: cents from a dollar up, a ten-thousandth below, all six if even that would hide the amount. */
export function money(microUsd: string): string {
	const micro = BigInt(microUsd);
	const abs = micro < 0n ? -micro : micro;
	if (abs === 0n || abs >= USD) return PLAIN_FORMATTERS.money(microUsd);
	if (abs < CENT) return exactMoney(microUsd);
	// Four digits below a dollar, so that a column of them is aligned.
	return PLAIN_FORMATTERS.money(microUsd).replace(/(?<=\$0\.)\d+$/, (digits) => digits.padEnd(4, "0"));
}

/** Every digit, for amounts that readers add up. */
export function exactMoney(microUsd: string): string {
	const micro = BigInt(microUsd);
	const [whole = "0", fraction = ""] = microToUsdText(micro < 0n ? -micro : micro).split(".");
	return `${micro < 0n ? "-" : ""}$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${fraction.padEnd(6, "0")}`;
}

/** The same in another currency: `EUR 1,234.560000`. */
export function exactMoneyIn(currency: string, micro: string): string {
	return exactMoney(micro).replace("$", `${currency} `);
}

export function about(microUsd: string): string {
	return `≈${money(microUsd)}`;
}

/** `$0.18/h` */
export function hourly(microUsd: string): string {
	return `${money(microUsd)}/h`;
}

/** One or two units: `45s`, `12m`, `3h05m`, `6d`. */
export function duration(ms: number): string {
	const abs = Math.abs(ms);
	if (abs < MINUTE_MS) return `${Math.round(abs / SECOND_MS)}s`;
	if (abs < 10 * MINUTE_MS) return two(abs, MINUTE_MS, "m", SECOND_MS, "s");
	if (abs < HOUR_MS) return `${Math.round(abs / MINUTE_MS)}m`;
	if (abs < 2 * DAY_MS) return two(abs, HOUR_MS, "h", MINUTE_MS, "m");
	return `${Math.round(abs / DAY_MS)}d`;
}

function two(ms: number, unit: number, name: string, part: number, partName: string): string {
	const parts = Math.round(ms / part);
	const per = unit / part;
	const rest = parts % per;
	return `${Math.floor(parts / per)}${name}${rest === 0 ? "" : `${String(rest).padStart(2, "0")}${partName}`}`;
}

/** `3m ago`, `in 2h`, `now`. */
export function relative(atMs: number, nowMs: number): string {
	const ms = atMs - nowMs;
	if (Math.abs(ms) < SECOND_MS) return "now";
	return ms < 0 ? `${duration(ms)} ago` : `in ${duration(ms)}`;
}

/** `2026-11-21 04:40:40 UTC` */
export function exactTime(atMs: number): string {
	return `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function exactAndRelative(iso: string | null, nowMs: number): string {
	if (iso === null) return NONE;
	const atMs = Date.parse(iso);
	return `${exactTime(atMs)} (${relative(atMs, nowMs)})`;
}

export function ago(iso: string | null, nowMs: number): string {
	return iso === null ? NONE : relative(Date.parse(iso), nowMs);
}

/** A range of starts: `now`, `in 6s`, `in 40s – 1m10s`. */
export function startRange(range: { p50Ms: number; p90Ms: number } | null, nowMs: number): string {
	if (range === null) return NONE;
	const from = relative(Math.max(range.p50Ms, nowMs), nowMs);
	const to = Math.max(range.p90Ms, nowMs) - nowMs;
	return to < SECOND_MS || duration(to) === from.replace("in ", "") ? from : `${from} – ${duration(to)}`;
}

export function grams(value: number | null): string {
	if (value === null) return NONE;
	if (value >= 1e6) return `${(value / 1e6).toFixed(2)} t`;
	if (value >= 1e3) return `${(value / 1e3).toFixed(2)} kg`;
	if (value === 0) return "0 g";
	return `${value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toPrecision(2)} g`;
}

export function bytes(value: number): string {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
	const scaled = value / 1024 ** step;
	return `${step === 0 || scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1)} ${units[step]}`;
}

/** GPU time: `0.16 GPU-h`. */
export function gpuHours(gpuMs: string | bigint): string {
	const hours = Number(gpuMs) / HOUR_MS;
	return hours === 0 ? "0" : hours >= 100 ? hours.toFixed(0) : hours >= 1 ? hours.toFixed(1) : hours.toPrecision(2);
}

/** `1,200` */
export function number(n: number): string {
	return n.toLocaleString("en-US");
}

export function count(n: number, one: string, many = `${one}s`): string {
	return `${number(n)} ${n === 1 ? one : many}`;
}

/** A probability in whole percent: `37%`; values out of range are clamped. */
export function chance(share: number): string {
	return share < 0.01 ? "<1%" : share > 0.99 ? ">99%" : `${Math.round(share * 100)}%`;
}

export function label(value: string): string {
	return (LABELS as Record<string, string>)[value] ?? value;
}

/** `home (local)`, `aws us-west-2d g4dn.xlarge spot`. */
export function place(placement: PlaceFacts | null): string {
	if (placement === null) return NONE;
	if (placement.capacityType === "owned") return `home (${placement.siteId})`;
	return [placement.provider, placement.zone ?? placement.region, placement.instanceType, label(placement.capacityType)]
		.filter((part) => part !== null)
		.join(" ");
}

export interface PlaceFacts {
	siteId: string;
	provider: string;
	region: string | null;
	zone: string | null;
	capacityType: string;
	instanceType: string | null;
}
