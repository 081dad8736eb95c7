import { defaultShouldDehydrateQuery, type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { rememberDrawn } from "./drawn-answers.ts";

/** Client errors that a retry would not change. */
const FINAL_STATUS_BELOW = 500;

/** Status of an API error's problem document; null for others, such as a lost connection. */
function statusOf(error: unknown): number | null {
	const data = (error as { data?: { problem?: { status?: unknown } } } | null)?.data;
	return typeof data?.problem?.status === "number" ? data.problem.status : null;
}

/** Data stays fresh until the change feed invalidates it; the long stale time avoids needless requests. */
export function makeQueryClient(): QueryClient {
	const queryCache = new QueryCache({ onError: (_error, query) => forgetUnread(queryCache, query) });
	const client = new QueryClient({
		queryCache,
		defaultOptions: {
			queries: {
				staleTime: 30_000,
				// A failed prefetch arrives without its reason; this retry gets it. On the server, the retry only leaves the query
				// to the browser.
				...(typeof window === "undefined" && { retryDelay: 0 }),
				retry: (failures, error) => failures < 1 && (statusOf(error) ?? FINAL_STATUS_BELOW) >= FINAL_STATUS_BELOW,
				refetchOnWindowFocus: true,
			},
			// Without a serializer: React sends dates, big integers, maps and sets to the browser as they are.
			dehydrate: { shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === "pending" },
		},
	});
	return rememberDrawn(client);
}

/**
 * Drops a prefetch that failed, including its retry, before any part of the page asked for it. Its error has no reason, and
 * a part that suspends would show it instead of fetching.
 */
function forgetUnread(cache: QueryCache, query: Query<unknown, unknown>): void {
	if (query.options.queryFn === undefined) cache.remove(query as Query);
}
