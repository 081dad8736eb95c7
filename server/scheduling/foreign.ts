import type { HomePool } from "./home-pool.ts";
import { LIMITS } from "./limits.ts";
import type { ForeignJob, Snapshot } from "./types.ts";

/**
 * Foreign jobs in an owned cluster's own queue are replayed before ours, in the site's order. The site starts them as soon as they fit, so
 * their slots are not free for us. No decision is made about them.
 */
export function reserveForeign(snapshot: Snapshot, pools: readonly HomePool[]): void {
	const waiting = snapshot.foreign?.filter((job) => job.startedAtMs === null) ?? [];
	if (waiting.length === 0) return;
	waiting.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
	for (const job of waiting) {
		const pool = pools.find((p) => p.view.id === job.poolId);
		if (pool) reserve(pool, job, snapshot.nowMs);
	}
}

function reserve(pool: HomePool, { nodes, gpusPerNode, limitMs }: ForeignJob, nowMs: number): void {
	const p50Ms = limitMs ?? LIMITS.defaultRunMs;
	const p90Ms = limitMs ?? LIMITS.defaultRunMs * LIMITS.defaultSpread;
	const now = pool.findNow(nodes, gpusPerNode, p90Ms);
	if (now) {
		for (const node of now) {
			pool.median.reserve(node, nowMs, p50Ms, gpusPerNode);
			pool.late.reserve(node, nowMs, p90Ms, gpusPerNode);
			pool.take(node, gpusPerNode);
		}
		return;
	}
	pool.refresh();
	const median = pool.median.findStart(nodes, gpusPerNode, p90Ms);
	const late = pool.late.findStart(nodes, gpusPerNode, p90Ms) ?? median;
	for (const node of median?.nodes ?? []) pool.median.reserve(node, median?.startMs ?? nowMs, p50Ms, gpusPerNode);
	for (const node of late?.nodes ?? []) pool.late.reserve(node, late?.startMs ?? nowMs, p90Ms, gpusPerNode);
}
