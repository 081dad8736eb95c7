import type { JobSpec } from "#server/domain/job.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { RecordedGrid } from "../../replay/grid-record.ts";
import { aReplayPool } from "../../replay/testing/small.ts";
import type { HistoryJob, RecordedHistory } from "../history.ts";

/** Monday 2026-01-05, 00:00 UTC. */
export const FROM_MS = Date.UTC(2026, 0, 5);

export function aSpec(given: Partial<JobSpec> & { gpus?: number } = {}): JobSpec {
	const { gpus = 1, ...rest } = given;
	return {
		name: "train",
		team: "vision",
		project: null,
		labels: {},
		class: "burst",
		image: null,
		command: ["train"],
		env: {},
		nodes: 1,
		resources: { gpus, accelerators: [], cpus: null, memoryGiB: null },
		duration: { estimateMs: HOUR_MS, maxMs: null },
		deadlineMs: null,
		priority: 50,
		critical: false,
		checkpoint: null,
		data: [],
		...rest,
	};
}

/** A one-hour job, submitted `afterMs` after the start. */
export function aHistoryJob(id: string, given: Partial<HistoryJob> & { afterMs?: number; ms?: number } = {}): HistoryJob {
	const { afterMs = 0, ms = HOUR_MS, ...rest } = given;
	return {
		id,
		spec: aSpec({ name: id }),
		submittedAtMs: FROM_MS + afterMs,
		approvedMicroUsd: null,
		work: { kind: "recorded", ms, beforeMs: 0 },
		withdrawnAtMs: null,
		dataOutGiB: 0,
		...rest,
	};
}

/** Twelve hours with one GPU at home; a launch takes 4 minutes. */
export function aHistory(given: Partial<RecordedHistory> = {}): RecordedHistory {
	const { offers = [], fromMs = FROM_MS } = given;
	return {
		fromMs,
		toMs: fromMs + 12 * HOUR_MS,
		seed: 1,
		jobs: [],
		pools: [aReplayPool({ nodes: 1, gpusPerNode: 1, wattsPerGpu: 500, gridGramsPerKwh: 400, pue: 1.5 })],
		offers,
		prices: new Map(
			offers.flatMap((o) => (o.microUsdPerHour === null ? [] : [[o.id, [{ atMs: fromMs, microUsdPerHour: o.microUsdPerHour }]] as const])),
		),
		launches: [],
		priorRuns: [],
		spentBefore: [],
		boardWatts: { "A100-80GB": 400 },
		timing: {
			bootMs: 4 * MINUTE_MS,
			refusalMs: null,
			cloudStartMs: { p50Ms: 4 * MINUTE_MS, p90Ms: 4 * MINUTE_MS },
			cooldownMs: 10 * MINUTE_MS,
		},
		firstJobAtMs: fromMs,
		zone: "UTC",
		...given,
	};
}

/** Grid intensity at home by hour, g/kWh, from the start on; recorded at the start unless another time is given. */
export function aGrid(hours: readonly number[], { fromMs = FROM_MS, recordedAtMs = FROM_MS } = {}): RecordedGrid {
	const own = hours.map((gramsPerKwh, i) => ({ hourMs: fromMs + i * HOUR_MS, gramsPerKwh, recordedAtMs }));
	return { zones: new Map([["owned", "DE"]]), hours: new Map([["DE", own]]) };
}
