import { collectDefaultMetrics, Registry } from "prom-client";

/** The metrics of this process that are counted as things happen. Metrics of the database are read at each scrape instead. */
export const registry = new Registry();

/** Adds CPU, memory, event loop and garbage collection of this process. Call once per program. */
export function countProcess(): void {
	collectDefaultMetrics({ register: registry });
}
