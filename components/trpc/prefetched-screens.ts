/** At least as long as the router keeps a prefetched screen (staleTimes in next.config.ts). */
const KEPT_MS = 35_000;

/** When the render of a screen began that was prefetched and not opened since; by path, in ms of this page's clock. */
const startedMs = new Map<string, number>();

/** Keeps the earlier start while the router may still show that render. */
export function notePrefetch(path: string): void {
	const nowMs = performance.now();
	if (nowMs - (startedMs.get(path) ?? Number.NEGATIVE_INFINITY) > KEPT_MS) startedMs.set(path, nowMs);
}

/** The start of the prefetch that the opened screen may show; null without one. Its queries then follow all changes. */
export function takePrefetch(path: string): number | null {
	const ms = startedMs.get(path) ?? null;
	startedMs.delete(path);
	return ms;
}
