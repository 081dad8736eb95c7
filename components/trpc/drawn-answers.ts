import type { Query, QueryClient } from "@tanstack/react-query";

/** The first answer of each query: what the server drew, where it waited for it. */
const answers = new WeakMap<Query, unknown>();

/** From now on the first answer of each query of this client is remembered as long as the query is. */
export function rememberDrawn(client: QueryClient): QueryClient {
	client.getQueryCache().subscribe(({ query }) => {
		const { data } = query.state;
		if (data !== undefined && !answers.has(query)) answers.set(query, data);
	});
	return client;
}

/** What the server drew of a query, whatever has been read since. */
export function drawnAnswer(query: Query | undefined): unknown {
	return query && answers.get(query);
}
