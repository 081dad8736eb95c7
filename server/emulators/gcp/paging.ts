import { GceError, invalidField } from "./gce-error.ts";

const MAX_RESULTS = 500;

/**
 * One page of a list, ordered by key. The token contains the last returned key, so items that appear or disappear between two
 * pages neither repeat nor hide others.
 */
export function takePage<T>(
	items: readonly T[],
	keyOf: (item: T) => string,
	query: URLSearchParams,
): { items: T[]; nextPageToken: string | undefined } {
	const maxResults = Number(query.get("maxResults") ?? MAX_RESULTS);
	if (!Number.isInteger(maxResults) || maxResults < 0 || maxResults > MAX_RESULTS) {
		throw invalidField("maxResults", query.get("maxResults"), `Must be between 0 and ${MAX_RESULTS}.`);
	}
	const after = readToken(query.get("pageToken"));
	const keyed = items.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
	const rest = after === null ? keyed : keyed.filter(({ key }) => key > after);
	const page = rest.slice(0, maxResults === 0 ? MAX_RESULTS : maxResults);
	const last = page.at(-1);
	return {
		items: page.map(({ item }) => item),
		nextPageToken: last && rest.length > page.length ? Buffer.from(`after\n${last.key}`).toString("base64url") : undefined,
	};
}

function readToken(token: string | null): string | null {
	if (token === null) return null;
	const [mark, key] = Buffer.from(token, "base64url").toString().split("\n");
	if (mark !== "after" || key === undefined) throw new GceError("invalid", `Invalid value for field 'pageToken': '${token}'.`);
	return key;
}
