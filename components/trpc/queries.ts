import {
	type DefaultError,
	type QueryKey,
	type UseSuspenseQueryOptions,
	type UseSuspenseQueryResult,
	useSuspenseQuery as useAnySuspenseQuery,
} from "@tanstack/react-query";
import { useDrawnFirst } from "./drawn-first.ts";

/**
 * TanStack's hook, which answers what the server drew with while the browser takes over. Hooks that do not wait for an answer are
 * taken from TanStack itself: what the server had drawn without one cannot be told from here.
 */
export function useSuspenseQuery<Answer, Failure = DefaultError, Key extends QueryKey = QueryKey>(
	options: UseSuspenseQueryOptions<Answer, Failure, Answer, Key>,
): UseSuspenseQueryResult<Answer, Failure> {
	return useDrawnFirst(useAnySuspenseQuery(options), options.queryKey);
}
