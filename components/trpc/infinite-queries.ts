import {
	type DefaultError,
	type InfiniteData,
	type QueryKey,
	type UseSuspenseInfiniteQueryOptions,
	type UseSuspenseInfiniteQueryResult,
	useSuspenseInfiniteQuery as useAnySuspenseInfiniteQuery,
} from "@tanstack/react-query";
import { useDrawnFirst } from "./drawn-first.ts";

/** As useSuspenseQuery of queries.ts; a file of its own, since pages without lists load no code for them. */
export function useSuspenseInfiniteQuery<Page, Failure = DefaultError, Key extends QueryKey = QueryKey, Param = unknown>(
	options: UseSuspenseInfiniteQueryOptions<Page, Failure, InfiniteData<Page, Param>, Key, Param>,
): UseSuspenseInfiniteQueryResult<InfiniteData<Page, Param>, Failure> {
	return useDrawnFirst(useAnySuspenseInfiniteQuery(options), options.queryKey);
}
