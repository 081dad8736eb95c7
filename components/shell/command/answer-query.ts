import { DAY_MS } from "#server/kernel/units.ts";
import type { Command } from "./command.ts";

const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/** Direct answers to queries such as "research spend october" and "failed this week in genomics". */
export function answerQuery(text: string, teams: readonly string[], nowMs: number): Command[] {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	const team = teams.find((name) => words.includes(name.toLowerCase())) ?? null;
	const has = (...any: string[]) => any.some((word) => words.includes(word));
	if (has("spend", "spent", "cost", "costs")) return spendAnswer(words, team, nowMs);
	if (has("failed", "failures")) return [jobsAnswer("failed", "Failed this week", { view: "failed" }, team)];
	if (has("queued", "waiting")) return [jobsAnswer("queued", "Queued jobs", { state: "queued" }, team)];
	if (has("running")) return [jobsAnswer("running", "Running jobs", { state: "running" }, team)];
	return [];
}

function jobsAnswer(id: string, label: string, params: Record<string, string>, team: string | null): Command {
	const query = new URLSearchParams({ ...params, ...(team === null ? {} : { team }) });
	return {
		...{ id: `jobs-${id}`, label: team === null ? label : `${label}: ${team}`, detail: "jobs", icon: "jobs" },
		act: { kind: "open", href: `/jobs?${query}` },
	};
}

/** Spend of a team, a month, or both. None for "spend" alone, which opens the screen. */
function spendAnswer(words: readonly string[], team: string | null, nowMs: number): Command[] {
	const month = namedMonth(words, nowMs);
	if (month === null && team === null) return [];
	const params = new URLSearchParams();
	if (month !== null) {
		params.set("from", dayOf(month.fromMs));
		params.set("to", dayOf(month.toMs - DAY_MS));
	}
	if (team !== null) params.set("team", team);
	const parts = [team, month?.name].filter(Boolean).join(", ");
	return [
		{ id: "spend-answer", label: `Spend: ${parts}`, detail: "spend", icon: "spend", act: { kind: "open", href: `/spend?${params}` } },
	];
}

/** The latest past or current month of that name. Also parses "this month" and "last month". */
function namedMonth(words: readonly string[], nowMs: number): { name: string; fromMs: number; toMs: number } | null {
	const now = new Date(nowMs);
	const named = MONTHS.findIndex((name) => words.some((word) => word.length >= 3 && name.startsWith(word)));
	const back = words.includes("month") ? (words.includes("last") ? 1 : 0) : null;
	if (named < 0 && back === null) return null;
	const index = named >= 0 ? named : now.getUTCMonth() - (back ?? 0);
	const year = now.getUTCFullYear() - (named > now.getUTCMonth() ? 1 : 0);
	const fromMs = Date.UTC(year, index, 1);
	const at = new Date(fromMs);
	const name = MONTHS[at.getUTCMonth()] ?? "";
	return {
		name: `${name.charAt(0).toUpperCase()}${name.slice(1)} ${at.getUTCFullYear()}`,
		fromMs,
		toMs: Date.UTC(year, index + 1, 1),
	};
}

function dayOf(ms: number): string {
	return new Date(ms).toISOString().slice(0, 10);
}
