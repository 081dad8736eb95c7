import type { Query, QueryClient } from "@tanstack/react-query";

interface Drawn {
	data: unknown;
	/** It was in the page from the start; otherwise it came behind it, or was never in it. */
	atOnce: boolean;
}

/** The first answer of each query: what the server drew, where it drew one. */
const answers = new WeakMap<Query, Drawn>();

/** From now on the first answer of each query of this client is remembered as long as the query is. */
export function rememberDrawn(client: QueryClient): QueryClient {
	client.getQueryCache().subscribe(({ type, query }) => {
		const { data } = query.state;
		if (data !== undefined && !answers.has(query)) answers.set(query, { data, atOnce: type === "added" });
	});
	return client;
}

/**
 * What the server drew of a query, whatever has been read since: the same on both sides. Who waits for an answer (`suspends`) was
 * drawn with the first that came; who does not was drawn with what was there at once, else with none.
 */
export function drawnAnswer(query: Query | undefined, suspends: boolean): unknown {
	const drawn = query && answers.get(query);
	return drawn && (suspends || drawn.atOnce) ? drawn.data : undefined;
}
