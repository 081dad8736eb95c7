import { SpillwayError } from "#server/kernel/errors.ts";
import type { Route } from "../http/route.ts";
import { MethodNotAllowedError } from "../method-not-allowed.ts";
import { ROUTES } from "./routes.ts";

export interface Match {
	route: Route;
	/** Values of the `{…}` parts of the path. */
	params: Record<string, string>;
}

const SEE_DOCUMENT = "GET /api/v1/openapi.json lists every operation.";

/** Fewest parameters first, so that `/approvals/outlook` is not treated as an approval named "outlook". */
const PATTERNS = ROUTES.map((route) => ({
	route,
	parameters: route.path.split("{").length,
	pattern: new RegExp(`^${route.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]{1,128})")}$`),
})).sort((a, b) => a.parameters - b.parameters);

/**
 * The route of a request. HEAD uses the GET of the path; Node does not send its body.
 * @throws SpillwayError `not_found`, also for another team's path parts; MethodNotAllowedError
 */
export function findRoute(method: string, path: string): Match {
	const matches = matchesOf(path);
	const wanted = method === "HEAD" ? "GET" : method;
	const match = matches.find(({ route }) => route.method === wanted && (method !== "HEAD" || hasHead(route)));
	if (match) return { route: match.route, params: Object.fromEntries(Object.entries(match.params).map(([k, v]) => [k, decode(v)])) };
	if (matches.length === 0) throw new SpillwayError("not_found", `There is nothing at ${path}.`, { fix: SEE_DOCUMENT });
	throw new MethodNotAllowedError(method, path, allowOf(matches), SEE_DOCUMENT);
}

/** The methods of a path for the Allow header; null for an unknown path. */
export function allowedAt(path: string): string | null {
	const matches = matchesOf(path);
	return matches.length === 0 ? null : allowOf(matches);
}

function matchesOf(path: string): Match[] {
	return PATTERNS.flatMap(({ route, pattern }) => {
		const found = pattern.exec(path);
		return found ? [{ route, params: { ...found.groups } }] : [];
	});
}

/** Files and streams have no HEAD, because their length is only known after reading. */
function hasHead({ method, operation }: Route): boolean {
	return method === "GET" && operation.media === undefined;
}

function allowOf(matches: readonly Match[]): string {
	const methods = matches.flatMap(({ route }) => (hasHead(route) ? [route.method, "HEAD"] : [route.method]));
	return [...new Set([...methods, "OPTIONS"])].join(", ");
}

/** @throws SpillwayError `invalid_input` for a broken escape or a NUL */
function decode(part: string): string {
	let text: string;
	try {
		text = decodeURIComponent(part);
	} catch {
		throw new SpillwayError("invalid_input", "The path holds a broken % escape.");
	}
	if (text.includes("\u0000")) throw new SpillwayError("invalid_input", "The path holds a NUL, which no id or name has.");
	return text;
}
