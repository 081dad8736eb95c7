import type { QueryClient } from "@tanstack/react-query";

/** Longer waits would delay the header of a slow screen. */
const WAIT_MS = 250;

/**
 * Waits for the client's running prefetches, at most `waitMs`. Once React has shown a skeleton, it keeps it for 300 ms; data
 * that arrives earlier is shown sooner by a page that waits.
 */
export async function settleSoon(client: QueryClient, waitMs = WAIT_MS): Promise<void> {
	const running = client
		.getQueryCache()
		.getAll()
		.filter(({ state }) => state.fetchStatus === "fetching")
		.map(({ promise }) => promise);
	if (running.length === 0) return;
	let timer: NodeJS.Timeout | undefined;
	const limit = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, waitMs);
	});
	await Promise.race([Promise.allSettled(running), limit]);
	clearTimeout(timer);
}
