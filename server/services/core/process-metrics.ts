import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

/**
 * Metrics measured by this process: web servers measure HTTP, the leading scheduler the rest. Metrics from the database are
 * read at each scrape instead (server/api/metrics.ts).
 */
export const registry = new Registry();
const registers = [registry];

/** `surface`: rest, agent, trpc, page, schema; `code`: 2xx to 5xx. Streams count until they end. */
export const httpSeconds = new Histogram({
	name: "spillway_http_request_duration_seconds",
	help: "Time to answer HTTP requests, by surface, method and class of status.",
	labelNames: ["surface", "method", "code"] as const,
	buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
	registers,
});

/** `part`: load, decide, apply. */
export const cycleSeconds = new Histogram({
	name: "spillway_cycle_duration_seconds",
	help: "Duration of the control loop's cycles, by part.",
	labelNames: ["part"] as const,
	buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
	registers,
});

/** `outcome`: ok or error. */
export const driverCallSeconds = new Histogram({
	name: "spillway_driver_call_duration_seconds",
	help: "Duration of calls to providers and clusters, by site, call and outcome.",
	labelNames: ["site", "call", "outcome"] as const,
	buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
	registers,
});

/** From submission to the first start of the command. */
export const waitSeconds = new Histogram({
	name: "spillway_job_wait_seconds",
	help: "Wait of jobs from submission to their first start, by class and capacity type.",
	labelNames: ["class", "capacity_type"] as const,
	buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400],
	registers,
});

/** Adds CPU, memory, event loop and garbage collection of this process. Call once per program. */
export function countProcess(): void {
	collectDefaultMetrics({ register: registry });
	// Gauges named like counters (_total), which promtool rejects. The metrics without the suffix have the same figures by type.
	for (const name of ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"])
		registry.removeSingleMetric(name);
}
