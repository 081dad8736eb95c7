import { hashKey, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { drawnAnswer } from "./drawn-answers.ts";

/**
 * During hydration, returns the result that the server rendered with, even if newer data has arrived. Panels hydrate
 * one after another and may share a query: after the first has hydrated, a refetch can update it before the last has.
 * Their texts would then differ and React would discard the server's markup (error 418). Newer data is rendered right
 * after.
 */
export function useDrawnFirst<Result extends { data: unknown }>(result: Result, queryKey: QueryKey): Result {
	const query = useQueryClient().getQueryCache().get(hashKey(queryKey));
	const { data } = result;
	// React calls the third function on the server and during hydration, then the second, and renders again if they
	// differ.
	const held = useSyncExternalStore(
		never,
		() => data,
		() => drawnAnswer(query) ?? data,
	);
	return held === data ? result : asDrawn(result, held);
}

const never = (): (() => void) => () => undefined;

/** The result with other data. Keeps TanStack's property tracking, which limits re-rendering. */
function asDrawn<Result extends { data: unknown }>(result: Result, data: unknown): Result {
	return new Proxy(result, { get: (target, key) => (key === "data" ? data : Reflect.get(target, key)) });
}
