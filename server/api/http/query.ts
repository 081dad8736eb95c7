import { SpillwayError } from "#server/kernel/errors.ts";

/** Range of PostgreSQL's integer; every number in a query is compared with one. */
const NUMBER_MAX = 2 ** 31 - 1;

/** `?state=queued&state=held` or `?state=queued,held`. */
export function listParam(query: URLSearchParams, name: string): string[] {
	return query.getAll(name).flatMap((v) =>
		storable(name, v)
			.split(",")
			.map((s) => s.trim())
			.filter(Boolean),
	);
}

export function textParam(query: URLSearchParams, name: string): string | undefined {
	const value = query.get(name);
	return value === null || value === "" ? undefined : storable(name, value);
}

/** The database stores every character except NUL. */
function storable(name: string, value: string): string {
	if (value.includes("\u0000")) throw wrong(name, value, "a text without NUL");
	return value;
}

/** @throws SpillwayError `invalid_input` when it is present and not a whole number */
export function numberParam(query: URLSearchParams, name: string): number | undefined {
	const value = textParam(query, name);
	if (value === undefined) return undefined;
	if (!/^-?\d{1,15}$/.test(value) || Math.abs(Number(value)) > NUMBER_MAX) throw wrong(name, value, `a whole number up to ${NUMBER_MAX}`);
	return Number(value);
}

/** An ISO date (`2026-11-01`) or time with its zone, as UTC ms. */
export function timeParam(query: URLSearchParams, name: string): number | undefined {
	const value = textParam(query, name);
	if (value === undefined) return undefined;
	const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(value) ? Date.parse(value) : Number.NaN;
	if (Number.isNaN(ms)) throw wrong(name, value, "a date such as 2026-11-01 or a time such as 2026-11-01T08:00:00Z");
	return ms;
}

export function flagParam(query: URLSearchParams, name: string): boolean {
	const value = query.get(name);
	return value !== null && value !== "0" && value !== "false";
}

/** @throws SpillwayError `invalid_input` naming the first parameter that the operation does not have. */
export function rejectUnknown(query: URLSearchParams, known: readonly string[]): void {
	for (const name of query.keys()) {
		if (!known.includes(name))
			throw new SpillwayError("invalid_input", `There is no query parameter "${name}".`, {
				fields: [{ path: name, message: `known: ${known.join(", ") || "none"}` }],
			});
	}
}

function wrong(name: string, value: string, allowed: string): SpillwayError {
	return new SpillwayError("invalid_input", `${name}: "${value.slice(0, 80)}" is not ${allowed}.`, {
		fields: [{ path: name, message: `must be ${allowed}` }],
	});
}
