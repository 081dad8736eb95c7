import {
	type DefaultError,
	type QueryKey,
	type UseQueryOptions,
	type UseQueryResult,
	type UseSuspenseQueryOptions,
	type UseSuspenseQueryResult,
	useSuspenseQuery as useAnySuspenseQuery,
	useQuery,
} from "@tanstack/react-query";
import { useDrawnFirst } from "./drawn-first.ts";

/**
 * TanStack's hook, returning the server's data during hydration. Hooks that do not suspend come from TanStack directly,
 * since server output without data cannot be reproduced here. On the server they may only render what was not
 * prefetched, or what was awaited (`useAwaitedQuery`): a pending prefetch renders without data there but has data in
 * the browser.
 */
export function useSuspenseQuery<Answer, Failure = DefaultError, Key extends QueryKey = QueryKey>(
	options: UseSuspenseQueryOptions<Answer, Failure, Answer, Key>,
): UseSuspenseQueryResult<Answer, Failure> {
	return useDrawnFirst(useAnySuspenseQuery(options), options.queryKey);
}

/** For data awaited before rendering (`await client.prefetchQuery`) and hides a part when it fails. */
export function useAwaitedQuery<Answer, Failure = DefaultError, Key extends QueryKey = QueryKey>(
	options: UseQueryOptions<Answer, Failure, Answer, Key>,
): UseQueryResult<Answer, Failure> {
	return useDrawnFirst(useQuery(options), options.queryKey);
}
