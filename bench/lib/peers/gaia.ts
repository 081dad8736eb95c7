import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Policy } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import type { GridForecast } from "#server/simulation/replay/grid-ahead.ts";
import { replay } from "#server/simulation/replay/replay.ts";
import type { ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";
import { parseGrid } from "#server/simulation/scenario-file/grid-file.ts";
import { readTrace } from "#server/simulation/trace-file/read-trace.ts";
import { round } from "../figures.ts";
import { onDemandOffer } from "./on-demand-offer.ts";

/** Start of the artifact: hour 7000 of 2024, counted without 29 February. */
const START_MS = Date.UTC(2024, 9, 19, 16);
const ACCELERATOR = "A100-80GB";
const OWNED_SLOTS = 9;
const USD_PER_SLOT_HOUR = 0.0624;
const MACHINE_SLOTS = [1, 2, 3, 4, 8, 16];

export interface GaiaFigures {
	grams: number;
	onDemandUsd: number;
	/** Time from submission to the end − run time, suspensions included. */
	meanWaitHours: number;
}

export interface GaiaInputs {
	jobs: readonly TraceJob[];
	/** g/kWh by hour from the replay's start on. */
	grid: readonly number[];
}

/**
 * `*.csv` with the jobs (`job_id,submit_s,duration_s,gpus,group`; group short or long) and `*grid*.csv` or `*grid*.csv.gz` with
 * `ts,g_per_kwh`. A folder without a grid uses `gridFile`.
 */
export async function readGaiaInputs(dir: string, gridFile: string): Promise<GaiaInputs> {
	const names = readdirSync(dir).sort();
	const isGrid = (name: string): boolean => /grid.*\.csv(\.gz)?$/.test(name);
	const trace = names.find((name) => name.endsWith(".csv") && !isGrid(name));
	const own = names.find(isGrid);
	const file = own ? path.join(dir, own) : gridFile;
	if (!trace || !existsSync(file))
		throw new SpillwayError("invalid_input", `${dir} needs a CSV of jobs and *grid*.csv.`, {
			fix: "See bench/samples/gaia for the columns, or name the grid with --grid FILE.",
		});
	const bytes = readFileSync(file);
	const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
	return { jobs: await readTrace(path.join(dir, trace)), grid: gridFrom({ text, name: file }) };
}

/** From the artifact's start if the file covers it, else from its first hour. */
function gridFrom(csv: { text: string; name: string }): number[] {
	try {
		return parseGrid(csv, START_MS);
	} catch (error) {
		if (error instanceof SpillwayError) return parseGrid(csv, null);
		throw error;
	}
}

/** GAIA's terms: nine owned slots, on-demand at one price, 1 W per slot, no boot. */
export function runGaia({ jobs, grid }: GaiaInputs, policy: Policy, forecast: GridForecast): GaiaFigures {
	const report = replay(jobs, scenarioOf(grid, forecast), { name: "spillway", policy });
	const meanRunHours = jobs.reduce((sum, { durationMs }) => sum + durationMs, 0) / jobs.length / 3_600_000;
	return {
		grams: round((report.emissionsKg ?? 0) * 1000, 1),
		onDemandUsd: round(report.cloudCostUsd, 2),
		meanWaitHours: round(report.meanTimeToModelS / 3600 - meanRunHours, 2),
	};
}

function scenarioOf(grid: readonly number[], forecast: GridForecast): ReplayScenario {
	return {
		name: "gaia",
		seed: 1,
		startMs: START_MS,
		pools: [
			{
				id: "home",
				siteId: "home",
				accelerator: ACCELERATOR,
				nodes: 1,
				gpusPerNode: OWNED_SLOTS,
				microUsdPerGpuHour: usdToMicro("0.02496"),
				wattsPerGpu: 1,
				gridGramsPerKwh: null,
				pue: 1,
				speed: 1,
			},
		],
		offers: MACHINE_SLOTS.map((gpus) =>
			onDemandOffer({ accelerator: ACCELERATOR, gpus, usdPerHour: String(round(gpus * USD_PER_SLOT_HOUR, 4)), observedAtMs: START_MS }),
		),
		availability: new Map(),
		prices: new Map(),
		bootMs: 0,
		refusalMs: 30 * SECOND_MS,
		checkpointEveryMs: 15 * MINUTE_MS,
		restoreMs: 3 * MINUTE_MS,
		stopMs: 0,
		grid: new Map([
			["home", grid],
			["gcp:peer", grid],
		]),
		gridForecast: { kind: forecast },
		boardWatts: { [ACCELERATOR]: 1 },
		onDemandRefusalShare: 0,
		dataOutGiB: 0,
	};
}
