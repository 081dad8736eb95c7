"use client";
import { useSyncExternalStore } from "react";

const QUERY = "(max-width: 767.98px)";

function subscribe(listener: () => void): () => void {
	const media = window.matchMedia(QUERY);
	media.addEventListener("change", listener);
	return () => media.removeEventListener("change", listener);
}

/** Whether the window is a phone's; null on the server and while hydrating, when both forms are drawn and CSS hides one. */
export function useIsPhone(): boolean | null {
	return useSyncExternalStore<boolean | null>(
		subscribe,
		() => window.matchMedia(QUERY).matches,
		() => null,
	);
}
