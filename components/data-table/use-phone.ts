"use client";
import { useSyncExternalStore } from "react";

const QUERY = "(max-width: 767.98px)";

function subscribe(listener: () => void): () => void {
	const media = window.matchMedia(QUERY);
	media.addEventListener("change", listener);
	return () => media.removeEventListener("change", listener);
}

/**
 * True on a phone-sized window; null during server rendering and hydration, when both layouts exist and CSS hides one.
 */
export function useIsPhone(): boolean | null {
	return useSyncExternalStore<boolean | null>(
		subscribe,
		() => window.matchMedia(QUERY).matches,
		() => null,
	);
}
