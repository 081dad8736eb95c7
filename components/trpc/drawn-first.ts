import { hashKey, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { drawnAnswer } from "./drawn-answers.ts";

/**
 * While the browser takes over what the server drew, answers what the server drew with, although something newer may have been read
 * meanwhile. Panels are taken over one after the other and several read the same query: the first of them lets a change be read while
 * the last is still the server's. Without this their texts would differ, and React would throw away all that the server drew (its
 * error 418). What is newer is drawn right behind it.
 */
export function useDrawnFirst<Result extends { data: unknown }>(result: Result, queryKey: QueryKey): Result {
	const query = useQueryClient().getQueryCache().get(hashKey(queryKey));
	const { data } = result;
	// The third function is asked by the server, and by the browser while it takes over; then the second, and again where they differ.
	const held = useSyncExternalStore(
		never,
		() => data,
		() => drawnAnswer(query) ?? data,
	);
	return held === data ? result : asDrawn(result, held);
}

const never = (): (() => void) => () => undefined;

/** The result with another answer. What is asked of it is still noticed by TanStack, which draws again only for that. */
function asDrawn<Result extends { data: unknown }>(result: Result, data: unknown): Result {
	return new Proxy(result, { get: (target, key) => (key === "data" ? data : Reflect.get(target, key)) });
}
