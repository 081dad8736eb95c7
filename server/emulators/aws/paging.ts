import { Ec2Error, invalidValue } from "./ec2-error.ts";

export interface Page<T> {
	items: T[];
	nextToken: string | undefined;
}

export interface PageRequest {
	action: string;
	maxResults: number | undefined;
	nextToken: string | undefined;
	min: number;
	max: number;
}

/**
 * One page of a list, ordered by key. The token contains the last returned key, so items that appear or disappear between two
 * pages neither repeat nor hide others.
 */
export function takePage<T>(items: readonly T[], keyOf: (item: T) => string, request: PageRequest): Page<T> {
	const { action, maxResults, min, max } = request;
	if (maxResults !== undefined && (!Number.isInteger(maxResults) || maxResults < min)) {
		throw invalidValue("maxResults", String(maxResults), `Expecting a value greater than ${min}.`);
	}
	if (maxResults !== undefined && maxResults > max)
		throw invalidValue("maxResults", String(maxResults), `Expecting a value less than ${max}.`);
	const after = request.nextToken === undefined ? null : readToken(action, request.nextToken);
	const keyed = items.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
	const rest = after === null ? keyed : keyed.filter(({ key }) => key > after);
	const page = rest.slice(0, maxResults ?? max);
	const last = page.at(-1);
	const nextToken = last && rest.length > page.length ? makeToken(action, last.key) : undefined;
	return { items: page.map(({ item }) => item), nextToken };
}

function makeToken(action: string, key: string): string {
	return Buffer.from(`${action}\n${key}`).toString("base64url");
}

function readToken(action: string, token: string): string {
	const [owner, key] = Buffer.from(token, "base64url").toString().split("\n");
	if (owner !== action || key === undefined) throw new Ec2Error("InvalidParameterValue", "Unable to parse pagination token");
	return key;
}
