"use client";
import { useSyncExternalStore } from "react";

const never = () => () => undefined;

/**
 * False on the server and during hydration, then true. For content that may differ between the two, such as a plain
 * query with a pending prefetch on the server.
 */
export function useHydrated(): boolean {
	return useSyncExternalStore(
		never,
		() => true,
		() => false,
	);
}
