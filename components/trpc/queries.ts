"use client";

import {
	type DefaultError,
	hashKey,
	type InfiniteData,
	type QueryKey,
	type UseInfiniteQueryOptions,
	type UseInfiniteQueryResult,
	type UseQueryOptions,
	type UseQueryResult,
	type UseSuspenseInfiniteQueryOptions,
	type UseSuspenseInfiniteQueryResult,
	type UseSuspenseQueryOptions,
	type UseSuspenseQueryResult,
	useInfiniteQuery as useAnyInfiniteQuery,
	useQuery as useAnyQuery,
	useSuspenseInfiniteQuery as useAnySuspenseInfiniteQuery,
	useSuspenseQuery as useAnySuspenseQuery,
	useQueryClient,
} from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { drawnAnswer } from "./drawn-answers.ts";

/*
 * TanStack's hooks, with one thing added: while the browser takes over what the server drew, they answer what the server drew with,
 * although something newer may have been read meanwhile. Panels are taken over one after the other and several read the same query:
 * the first of them lets a change be read while the last is still the server's. Without this their texts would differ, and React
 * would throw away all that the server drew (its error 418). What is newer is drawn right behind it.
 */

export function useSuspenseQuery<Answer, Failure = DefaultError, Key extends QueryKey = QueryKey>(
	options: UseSuspenseQueryOptions<Answer, Failure, Answer, Key>,
): UseSuspenseQueryResult<Answer, Failure> {
	return useDrawnFirst(useAnySuspenseQuery(options), options.queryKey, true);
}

export function useQuery<Answer, Failure = DefaultError, Key extends QueryKey = QueryKey>(
	options: UseQueryOptions<Answer, Failure, Answer, Key>,
): UseQueryResult<Answer, Failure> {
	return useDrawnFirst(useAnyQuery(options), options.queryKey, false);
}

export function useSuspenseInfiniteQuery<Page, Failure = DefaultError, Key extends QueryKey = QueryKey, Param = unknown>(
	options: UseSuspenseInfiniteQueryOptions<Page, Failure, InfiniteData<Page, Param>, Key, Param>,
): UseSuspenseInfiniteQueryResult<InfiniteData<Page, Param>, Failure> {
	return useDrawnFirst(useAnySuspenseInfiniteQuery(options), options.queryKey, true);
}

export function useInfiniteQuery<Page, Failure = DefaultError, Key extends QueryKey = QueryKey, Param = unknown>(
	options: UseInfiniteQueryOptions<Page, Failure, InfiniteData<Page, Param>, Key, Param>,
): UseInfiniteQueryResult<InfiniteData<Page, Param>, Failure> {
	return useDrawnFirst(useAnyInfiniteQuery(options), options.queryKey, false);
}

const never = (): (() => void) => () => undefined;

function useDrawnFirst<Result extends { data: unknown }>(result: Result, queryKey: QueryKey, suspends: boolean): Result {
	const query = useQueryClient().getQueryCache().get(hashKey(queryKey));
	const { data } = result;
	// The third function is asked by the server, and by the browser while it takes over; then the second, and again where they differ.
	const held = useSyncExternalStore(
		never,
		() => data,
		() => drawnAnswer(query, suspends) ?? (suspends ? data : undefined),
	);
	return held === data ? result : asDrawn(result, held);
}

const UNANSWERED = { status: "pending", isPending: true, isLoading: true, isSuccess: false, isError: false, error: null };

/** The result with another answer. What is asked of it is still noticed by TanStack, which draws again only for that. */
function asDrawn<Result extends { data: unknown }>(result: Result, data: unknown): Result {
	const other: Record<PropertyKey, unknown> = data === undefined ? { ...UNANSWERED, data } : { data };
	return new Proxy(result, { get: (target, key) => (key in other ? other[key] : Reflect.get(target, key)) });
}
