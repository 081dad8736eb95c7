import { ArmError } from "./arm-error.ts";

/**
 * One page of a list in its given order, and the link to the next one: the same address with a skip token that contains the last
 * returned key. Items that appear or disappear between two pages neither repeat nor hide others.
 */
export function takePage<T>(
	items: readonly T[],
	keyOf: (item: T) => string,
	request: { url: string; path: string; query: URLSearchParams; pageSize: number },
): { value: T[]; nextLink?: string } {
	const token = request.query.get("$skiptoken");
	const after = token === null ? "" : Buffer.from(token, "base64url").toString();
	if (token !== null && after === "") throw new ArmError("InvalidSkipToken", "The skip token is not one of this list.");
	const keyed = items.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
	const rest = keyed.filter(({ key }) => key > after);
	const page = rest.slice(0, request.pageSize);
	const value = page.map(({ item }) => item);
	const last = page.at(-1);
	if (!last || rest.length === page.length) return { value };
	const query = new URLSearchParams(request.query);
	query.set("$skiptoken", Buffer.from(last.key).toString("base64url"));
	return { value, nextLink: `${request.url}${request.path}?${query}` };
}
