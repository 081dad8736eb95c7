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
 * TanStack's hook, which answers what the server drew with while the browser takes over. Hooks that do not wait for an answer are
 * taken from TanStack itself: what the server had drawn without one cannot be told from here. They may draw on the server only what
 * the page did not read beforehand, or what it waited for (`useAwaitedQuery`): what is still on its way there is drawn without an
 * answer, and found answered by the browser.
 */
export function useSuspenseQuery<Answer, Failure = DefaultError, Key extends QueryKey = QueryKey>(
	options: UseSuspenseQueryOptions<Answer, Failure, Answer, Key>,
): UseSuspenseQueryResult<Answer, Failure> {
	return useDrawnFirst(useAnySuspenseQuery(options), options.queryKey);
}

/** For what the page has waited for before it was drawn (`await client.prefetchQuery`), where a failure leaves a part out. */
export function useAwaitedQuery<Answer, Failure = DefaultError, Key extends QueryKey = QueryKey>(
	options: UseQueryOptions<Answer, Failure, Answer, Key>,
): UseQueryResult<Answer, Failure> {
	return useDrawnFirst(useQuery(options), options.queryKey);
}
