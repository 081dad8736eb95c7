import { formatDuration, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";
import type { Reason } from "./reasons.ts";
import { LABELS } from "./vocabulary.ts";

/** How amounts are formatted. Screens may pass their own formatter, for example to show local time. */
export interface SentenceFormatters {
	/** @param microUsd decimal string of micro-dollars */
	money: (microUsd: string) => string;
	duration: (ms: number) => string;
	instant: (ms: number) => string;
}

export const PLAIN_FORMATTERS: SentenceFormatters = {
	money: plainMoney,
	// Seconds are noise in a wait of hours, but matter in a short one.
	duration: (ms) => (ms < SECOND_MS ? `${Math.round(ms)} ms` : formatDuration(roundTo(ms, ms < 10 * MINUTE_MS ? SECOND_MS : MINUTE_MS))),
	instant: (ms) => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`,
};

function roundTo(ms: number, unit: number): number {
	return Math.round(ms / unit) * unit;
}

/** Whole cents are precise enough above a dollar, but would hide a smaller amount. */
function plainMoney(microUsd: string): string {
	const negative = microUsd.startsWith("-");
	const micro = BigInt(negative ? microUsd.slice(1) : microUsd);
	const step = micro >= 1_000_000n ? 10_000n : 100n;
	const rounded = ((micro + step / 2n) / step) * step;
	const dollars = (rounded / 1_000_000n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
	const fraction = (rounded % 1_000_000n).toString().padStart(6, "0");
	const decimals = step === 10_000n || rounded === 0n ? fraction.slice(0, 2) : fraction.slice(0, 4).replace(/0{1,2}$/, "");
	return `${negative ? "-" : ""}$${dollars}.${decimals}`;
}

export type Facts = Reason["facts"];

/** Facts as text; null when absent, so that a clause with it can be left out. */
export interface Read {
	text: (name: string) => string | null;
	count: (name: string) => number | null;
	money: (name: string) => string | null;
	duration: (name: string) => string | null;
	instant: (name: string) => string | null;
}

export function read(facts: Facts, f: SentenceFormatters): Read {
	const number = (name: string): number | null => {
		const value = facts[name];
		return typeof value === "number" && Number.isFinite(value) ? value : null;
	};
	const map = (name: string, show: (value: number) => string): string | null => {
		const value = number(name);
		return value === null ? null : show(value);
	};
	return {
		text: (name) => (facts[name] === null || facts[name] === undefined || facts[name] === "" ? null : String(facts[name])),
		count: number,
		money: (name) => {
			const value = facts[name];
			return typeof value === "string" && /^-?\d+$/.test(value) ? f.money(value) : null;
		},
		duration: (name) => map(name, f.duration),
		instant: (name) => map(name, (ms) => (Math.abs(ms) <= 8.64e15 ? f.instant(ms) : String(ms))),
	};
}

/** The clause with the value in it, or an empty text when there is no value. */
export function clause(value: string | number | null, write: (value: string) => string): string {
	return value === null ? "" : write(String(value));
}

/** The count with thousands separators, and its noun: "1 job", "1,200 jobs". */
export function plural(n: number, one: string, many = `${one}s`): string {
	return `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
}

export function label(value: string | null): string | null {
	return value === null ? null : ((LABELS as Record<string, string>)[value] ?? value);
}

const ASKED: Readonly<Record<string, string>> = { platform: "a platform engineer", data_scientist: "a data scientist", finance: "finance" };

/** The approver that a rule names, by role. */
export function askedPerson(role: string | null): string {
	return (role === null ? undefined : ASKED[role]) ?? "a person";
}

/** A cap with its limit, its current use and the requested amount, in its own unit. */
export function capWords(r: Read): string {
	const name = `cap${clause(r.text("capId"), (id) => ` ${id}`)}`;
	const gib = (fact: string): string | null => clause(r.count(fact), (n) => `${n} GiB of egress`) || null;
	const machines = (fact: string): string | null => clause(r.count(fact), (n) => plural(Number(n), "instance")) || null;
	const rate = (fact: string): string | null => clause(r.money(fact), (m) => `${m} per hour`) || null;
	const of = (what: "cap" | "used" | "asked"): string | null =>
		rate(`${what}HourlyMicroUsd`) ?? machines(`${what}Instances`) ?? gib(`${what}GiB`);
	return `${name} ${clause(of("cap"), (t) => `allows ${t}`) || "is reached"}${clause(of("used"), (t) => `, ${t} in use`)}${clause(of("asked"), (t) => `, and this adds ${t}`)}`;
}

export function budgetName(r: Read): string {
	return `budget${clause(r.text("budgetId"), (id) => ` ${id}`)}`;
}
