import type { CommandHit } from "#components/shell/command-search.ts";

const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/** The job name in "why is X waiting"; null for other queries. */
export function jobAskedAbout(text: string): string | null {
	return /^why\s+(?:is|does|did|has)\s+(\S+)/i.exec(text.trim())?.[1] ?? null;
}

/** Direct answers to queries such as "research spend october" and "failed this week in genomics". */
export function answerQuery(text: string, teams: readonly string[], nowMs: number): CommandHit[] {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	const team = teams.find((name) => words.includes(name.toLowerCase())) ?? null;
	const has = (...any: string[]) => any.some((word) => words.includes(word));
	if (has("spend", "cost", "costs")) return [spendHit(words, team, nowMs)];
	if (has("failed", "failures")) return [jobsHit("failed", "Failed this week", { view: "failed" }, team)];
	if (has("queued", "waiting") && jobAskedAbout(text) === null) return [jobsHit("queued", "Queued jobs", { state: "queued" }, team)];
	if (has("running")) return [jobsHit("running", "Running jobs", { state: "running" }, team)];
	return [];
}

function jobsHit(id: string, label: string, params: Record<string, string>, team: string | null): CommandHit {
	const query = new URLSearchParams({ ...params, ...(team === null ? {} : { team }) });
	return { id: `jobs-${id}`, label: team === null ? label : `${label}: ${team}`, href: `/jobs?${query}`, icon: "jobs" };
}

/** Spend of a team and month; the newest month of that name that has begun. */
function spendHit(words: readonly string[], team: string | null, nowMs: number): CommandHit {
	const now = new Date(nowMs);
	const named = MONTHS.findIndex((name) => words.some((word) => word.length >= 3 && name.startsWith(word)));
	const params = new URLSearchParams();
	let when = "";
	if (named >= 0) {
		const year = now.getUTCFullYear() - (named > now.getUTCMonth() ? 1 : 0);
		const dayOf = (day: Date) => day.toISOString().slice(0, 10);
		params.set("from", dayOf(new Date(Date.UTC(year, named, 1))));
		params.set("to", dayOf(new Date(Date.UTC(year, named + 1, 0))));
		when = `${MONTHS[named]?.charAt(0).toUpperCase()}${MONTHS[named]?.slice(1)} ${year}`;
	}
	if (team !== null) params.set("team", team);
	const parts = [team, when].filter(Boolean).join(", ");
	const query = params.size > 0 ? `?${params}` : "";
	return { id: "spend", label: parts === "" ? "Spend" : `Spend: ${parts}`, href: `/spend${query}`, icon: "spend" };
}

/** Hits with every word in their label, best first: exact, then prefix, then word start, then anywhere. */
export function rankHits<T extends { label: string }>(hits: readonly T[], text: string): T[] {
	const query = text.trim().toLowerCase();
	const words = query.split(/\s+/).filter(Boolean);
	const score = (label: string): number => {
		const name = label.toLowerCase();
		if (!words.every((word) => name.includes(word))) return -1;
		if (name === query) return 3;
		if (name.startsWith(query)) return 2;
		return new RegExp(`\\b${query.replace(/[^\w]/g, ".")}`).test(name) ? 1 : 0;
	};
	return hits
		.map((hit) => ({ hit, score: score(hit.label) }))
		.filter((each) => each.score >= 0)
		.sort((a, b) => b.score - a.score)
		.map((each) => each.hit);
}
