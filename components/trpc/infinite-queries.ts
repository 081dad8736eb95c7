import {
	type DefaultError,
	type InfiniteData,
	type QueryKey,
	type UseSuspenseInfiniteQueryOptions,
	type UseSuspenseInfiniteQueryResult,
	useSuspenseInfiniteQuery as useAnySuspenseInfiniteQuery,
} from "@tanstack/react-query";
import { useDrawnFirst } from "./drawn-first.ts";

/** Like useSuspenseQuery of queries.ts, in its own file so that pages without lists do not load it. */
export function useSuspenseInfiniteQuery<Page, Failure = DefaultError, Key extends QueryKey = QueryKey, Param = unknown>(
	options: UseSuspenseInfiniteQueryOptions<Page, Failure, InfiniteData<Page, Param>, Key, Param>,
): UseSuspenseInfiniteQueryResult<InfiniteData<Page, Param>, Failure> {
	return useDrawnFirst(useAnySuspenseInfiniteQuery(options), options.queryKey);
}
