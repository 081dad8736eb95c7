import { createLoader, type inferParserType, parseAsString } from "nuqs/server";
import type { Inputs } from "#components/trpc/outputs.ts";
import { underBase } from "#components/ui/under-base.ts";
import { DAY_MS } from "#server/kernel/units.ts";

/** The audit view. Days are UTC and inclusive. */
export const auditSearchParams = {
	actor: parseAsString.withDefault(""),
	action: parseAsString.withDefault(""),
	subject: parseAsString.withDefault(""),
	from: parseAsString.withDefault(""),
	to: parseAsString.withDefault(""),
	q: parseAsString.withDefault(""),
};
export type AuditSearch = inferParserType<typeof auditSearchParams>;

export const loadAuditSearch = createLoader(auditSearchParams);
export const PAGE_LINES = 50;
export const NO_FILTERS = { actor: null, action: null, subject: null, from: null, to: null, q: null };

type Query = Omit<Inputs["audit"]["list"], "cursor">;

/** The server query; incomplete days, as typed, are ignored. */
export function auditQuery(search: AuditSearch): Query {
	const texts = (["actor", "action", "subject", "q"] as const).flatMap((name) => {
		const value = search[name].trim();
		return value === "" ? [] : [[name, value.slice(0, name === "action" ? 100 : 200)]];
	});
	const [from, to] = [dayMs(search.from), dayMs(search.to)];
	return {
		...Object.fromEntries(texts),
		...(from === null ? {} : { fromMs: from }),
		...(to === null ? {} : { toMs: to + DAY_MS }),
		limit: PAGE_LINES,
	};
}

/** Download URL for the same entries. */
export function auditFileHref(search: AuditSearch, format: "csv" | "ndjson"): string {
	const { fromMs, toMs, limit: _, ...texts } = auditQuery(search);
	const query = new URLSearchParams({ format, ...(texts as Record<string, string>) });
	if (fromMs !== undefined) query.set("from", new Date(fromMs).toISOString());
	if (toMs !== undefined) query.set("to", new Date(toMs).toISOString());
	return underBase(`/api/exports/audit?${query.toString()}`);
}

export function isFiltered(search: AuditSearch): boolean {
	return Object.keys(auditQuery(search)).length > 1;
}

function dayMs(day: string): number | null {
	const ms = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
	return Number.isNaN(ms) ? null : ms;
}
