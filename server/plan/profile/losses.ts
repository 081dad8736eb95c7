import { HOUR_MS } from "#server/kernel/units.ts";
import type { JobColumns } from "../history/columns.ts";
import type { IdleProfile, PlanAssessment } from "../types.ts";
import type { Hours } from "./demand.ts";
import { sumOf } from "./hour-series.ts";
import { compare } from "./waits.ts";

/**
 * Statuses of jobs that ended without a result, in lower case: sacct's State, the Philly and Alibaba traces, and our own states. A canceled
 * job may have been useful until then: it is listed, and counted as lost like in the Philly study (Jeon et al., ATC '19, §4).
 */
const LOST = new Set([
	...["failed", "timeout", "node_fail", "out_of_memory", "boot_fail", "deadline", "preempted", "revoked"],
	...["killed", "cancelled", "canceled", "error"],
]);

export function lostWork(jobs: JobColumns): PlanAssessment["lostWork"] {
	const byStatus = jobs.statuses.list.map((status) => ({ status, jobs: 0, gpuMs: 0 }));
	let all = 0;
	for (let i = 0; i < jobs.length; i++) {
		const gpuMs = jobs.at(jobs.durationMs, i) * jobs.at(jobs.gpus, i);
		all += gpuMs;
		const sum = byStatus[jobs.at(jobs.status, i)];
		if (!sum) continue;
		sum.jobs++;
		sum.gpuMs += gpuMs;
	}
	const lost = byStatus.filter(({ status }) => LOST.has(status.toLowerCase()));
	const gpuMs = lost.reduce((sum, entry) => sum + entry.gpuMs, 0);
	return {
		gpuHours: Math.round(gpuMs / HOUR_MS),
		share: all === 0 ? 0 : Math.round((gpuMs / all) * 10_000) / 10_000,
		byStatus: lost
			.map(({ status, jobs: count, gpuMs: ms }) => ({ status, jobs: count, gpuHours: Math.round(ms / HOUR_MS) }))
			.sort((a, b) => b.gpuHours - a.gpuHours || compare(a.status, b.status)),
	};
}

/** Idle GPU-hours by cause, hour by hour; null where starts are unknown. */
export function idleBy({ used, waiting }: Hours, capacityGpus: number): IdleProfile | null {
	if (!used || !waiting) return null;
	let [noDemand, blocked, over] = [0, 0, 0];
	for (let h = 0; h < used.length; h++) {
		const idle = capacityGpus - (used[h] ?? 0);
		if (idle < 0) {
			over -= idle;
			continue;
		}
		const held = Math.min(idle, waiting[h] ?? 0);
		blocked += held;
		noDemand += idle - held;
	}
	const capacity = capacityGpus * used.length;
	const usedGpuHours = sumOf(used);
	return {
		capacityGpuHours: capacity,
		usedGpuHours: Math.round(usedGpuHours),
		utilisation: capacity === 0 ? 0 : Math.round((usedGpuHours / capacity) * 10_000) / 10_000,
		noDemandGpuHours: Math.round(noDemand),
		blockedGpuHours: Math.round(blocked),
		overCapacityGpuHours: Math.round(over),
	};
}

/** Jobs that need more GPUs than there are. */
export function neverFit(jobs: JobColumns, capacityGpus: number): PlanAssessment["neverFit"] {
	let [count, gpuMs, largest] = [0, 0, 0];
	for (let i = 0; i < jobs.length; i++) {
		const gpus = jobs.at(jobs.gpus, i);
		if (gpus <= capacityGpus) continue;
		count++;
		gpuMs += gpus * jobs.at(jobs.durationMs, i);
		largest = Math.max(largest, gpus);
	}
	return { jobs: count, gpuHours: Math.round(gpuMs / HOUR_MS), largestGpus: largest };
}
