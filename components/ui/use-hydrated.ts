"use client";
import { useSyncExternalStore } from "react";

const never = () => () => undefined;

/**
 * False on the server and while the browser takes its page over, then true. What may differ between the two waits for it:
 * a plain query whose prefetch is still under way on the server and answered in the browser, for one.
 */
export function useHydrated(): boolean {
	return useSyncExternalStore(
		never,
		() => true,
		() => false,
	);
}
