import { defaultShouldDehydrateQuery, QueryClient } from "@tanstack/react-query";
import superjson from "superjson";
import { rememberDrawn } from "./drawn-answers.ts";

/** Answers that a second try would not change: the caller must. */
const FINAL_STATUS_BELOW = 500;

/** The status in an API error's problem document; null for anything that is none, such as a lost connection. */
function statusOf(error: unknown): number | null {
	const data = (error as { data?: { problem?: { status?: unknown } } } | null)?.data;
	return typeof data?.problem?.status === "number" ? data.problem.status : null;
}

/** Data is fresh until the change feed says otherwise; the long stale time keeps screens from asking without need. */
export function makeQueryClient(): QueryClient {
	const client = new QueryClient({
		defaultOptions: {
			queries: {
				staleTime: 30_000,
				// The first failure of a prefetched query comes without its reason: the second try, from here, tells it.
				// The server has no time to wait in: its second try of what it draws only leaves it to the browser.
				...(typeof window === "undefined" && { retryDelay: 0 }),
				retry: (failures, error) => failures < 1 && (statusOf(error) ?? FINAL_STATUS_BELOW) >= FINAL_STATUS_BELOW,
				refetchOnWindowFocus: true,
			},
			dehydrate: {
				serializeData: superjson.serialize,
				shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === "pending",
			},
			hydrate: { deserializeData: superjson.deserialize },
		},
	});
	return rememberDrawn(client);
}
