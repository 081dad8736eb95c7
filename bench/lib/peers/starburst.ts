import { readFileSync } from "node:fs";
import type { Policy } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { replay } from "#server/simulation/replay/replay.ts";
import type { ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";
import { eachCsvRow } from "#server/simulation/scenario-file/csv-table.ts";
import { round } from "../figures.ts";
import { onDemandOffer } from "./on-demand-offer.ts";

const START_MS = Date.UTC(2026, 0, 5);
const ACCELERATOR = "A100-80GB";
const NODE_GPUS = 8;
const USD_PER_GPU_HOUR = 1;

/**
 * Cost of an hour's delay of a job, $: a job waits at most its GPU-hours ÷ this many hours, from minutes for most jobs to days for large ones.
 */
export const STARBURST_DELAYS = ["240", "60", "40", "13"] as const;

export interface StarburstPoint {
	/** Run times are given to the core as estimates. */
	hasRunTimes: boolean;
	cloudGpuHours: number;
	meanJctHours: number;
	delayUsdPerHour: number;
	/** Starburst's lowest mean completion time at no more cloud GPU-hours, with the same knowledge; null: it has no such point. */
	starburstJctHours: number | null;
}

export interface StarburstResult {
	policy: string;
	hasRunTimes: boolean;
	cloudGpuHours: number;
	meanJctHours: number;
}

/** @throws SpillwayError with the line of a row that cannot be read */
export function readStarburstResults(file: string): StarburstResult[] {
	const results: StarburstResult[] = [];
	const columns = ["policy", "cloud_gpu_h", "mean_jct_h"];
	eachCsvRow({ text: readFileSync(file, "utf8"), name: file }, columns, ([policy = "", cloud = "", jct = ""]) => {
		results.push({ policy, hasRunTimes: policy.startsWith("linear_cost"), cloudGpuHours: Number(cloud), meanJctHours: Number(jct) });
	});
	return results;
}

/**
 * Starburst's terms: nodes of 8 at home, any machine on-demand at $1 per GPU-hour, no boot. Work is saved and restored as in every replay.
 */
export function runStarburst(
	jobs: readonly TraceJob[],
	ownedGpus: number,
	results: readonly StarburstResult[],
	policyFor: (delayUsdPerHour: string) => Policy,
): StarburstPoint[] {
	const scenario = scenarioOf(ownedGpus);
	return [false, true].flatMap((hasRunTimes) => {
		const given = jobs.map((job) => ({ ...job, limitMs: hasRunTimes ? job.durationMs : null }));
		return STARBURST_DELAYS.map((delay) => {
			const report = replay(given, scenario, { name: "spillway", policy: policyFor(delay) });
			const point = { hasRunTimes, cloudGpuHours: round(report.cloudGpuHours, 1), meanJctHours: round(report.meanTimeToModelS / 3600, 3) };
			return { ...point, delayUsdPerHour: Number(delay), starburstJctHours: leastJctOf(results, point) };
		});
	});
}

/** Policies without run times may be compared with them too. */
function leastJctOf(
	results: readonly StarburstResult[],
	{ hasRunTimes, cloudGpuHours }: { hasRunTimes: boolean; cloudGpuHours: number },
): number | null {
	const able = results.filter((r) => (hasRunTimes || !r.hasRunTimes) && r.cloudGpuHours <= cloudGpuHours);
	return able.length === 0 ? null : Math.min(...able.map(({ meanJctHours }) => meanJctHours));
}

function scenarioOf(ownedGpus: number): ReplayScenario {
	const sizes = [1, 2, 4, NODE_GPUS];
	return {
		name: "starburst",
		seed: 1,
		startMs: START_MS,
		pools: [
			{
				id: "home",
				siteId: "home",
				accelerator: ACCELERATOR,
				nodes: Math.floor(ownedGpus / NODE_GPUS),
				gpusPerNode: NODE_GPUS,
				microUsdPerGpuHour: usdToMicro("1"),
				wattsPerGpu: 400,
				gridGramsPerKwh: null,
				pue: 1,
				speed: 1,
			},
		],
		offers: sizes.map((gpus) =>
			onDemandOffer({ accelerator: ACCELERATOR, gpus, usdPerHour: String(gpus * USD_PER_GPU_HOUR), observedAtMs: START_MS }),
		),
		availability: new Map(),
		prices: new Map(),
		bootMs: 0,
		refusalMs: 30 * SECOND_MS,
		checkpointEveryMs: 15 * MINUTE_MS,
		restoreMs: 3 * MINUTE_MS,
		grid: new Map(),
		boardWatts: {},
		onDemandRefusalShare: 0,
		dataOutGiB: 0,
	};
}
