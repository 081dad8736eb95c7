import { type Offer, offerId } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { Engine, type EngineOptions } from "#server/simulation/replay/engine.ts";
import { Spillway, type SpillwayOptions } from "#server/simulation/replay/strategies/spillway.ts";
import type { Availability, ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";
import { optimumUsd } from "./optimum.ts";
import type { PeerInputs, PeerWindow, PeerZone } from "./skynomad-inputs.ts";

const START_MS = Date.UTC(2026, 0, 5);
/** Inter-region transfer, $ per GiB: the artifact's price between any two of its Google regions. */
const MOVE_USD_PER_GIB = "0.02";
/** Recorded runs of the same job. The peer is given the length of the work, so the core has seen it too. */
const PRIOR_RUNS = 400;
const ACCELERATOR = "H100-80GB";

/** The core's knowledge of the job's length: recorded runs, its owner's estimate, or its longest run time alone. */
export type RunTimeInput = "length" | "estimate" | "limit";

export interface SkynomadRow {
	/** Deadline ÷ work. */
	ratio: number;
	windows: number;
	/** Means over the windows. null: the results do not cover every window. The optimum is computed here if the results lack it. */
	spillwayUsd: number;
	skynomadUsd: number | null;
	optimumUsd: number | null;
	misses: number;
}

export interface WindowRun {
	usd: number;
	missed: boolean;
	refusals: number;
	moves: number;
}

/** Runs every window of the results under the live core, grouped by ratio. */
export function runSkynomad(inputs: PeerInputs, policy: Policy, runTimeInput: RunTimeInput = "length"): SkynomadRow[] {
	const byRatio = Map.groupBy(inputs.windows, (window) => Math.round((100 * window.deadlineH) / window.workH) / 100);
	return [...byRatio]
		.sort(([a], [b]) => a - b)
		.map(([ratio, windows]) => {
			const runs = windows.map((window) => runWindow(inputs, window, policy, runTimeInput));
			return {
				ratio,
				windows: windows.length,
				spillwayUsd: mean(runs.map(({ usd }) => usd)) ?? 0,
				skynomadUsd: mean(windows.map(({ skynomadUsd }) => skynomadUsd)),
				optimumUsd: mean(windows.map((window) => window.optimumUsd ?? leastUsd(inputs, window))),
				misses: runs.filter(({ missed }) => missed).length,
			};
		});
}

function leastUsd(inputs: PeerInputs, { zones, startH, workH, deadlineH, checkpointGb, restartH }: PeerWindow): number {
	return optimumUsd({
		zones: zones
			.flatMap((name) => inputs.zones.get(name) ?? [])
			.map(({ zone, spotUsdPerHour, onDemandUsdPerHour, availability }) => ({
				...{ spotUsdPerHour: Number(spotUsdPerHour), onDemandUsdPerHour: Number(onDemandUsdPerHour) },
				region: regionOf(zone),
				availability: { ...availability, offsetMs: Math.round(startH * HOUR_MS) },
			})),
		...{ workMs: workH * HOUR_MS, deadlineMs: deadlineH * HOUR_MS, restartMs: restartH * HOUR_MS },
		moveUsd: checkpointGb * Number(MOVE_USD_PER_GIB),
	});
}

function regionOf(zone: string): string {
	return zone.replace(/-[a-z]$/, "");
}

/** One job alone in the cloud, under the artifact's terms: no boot, a restart for every start but the first, probes as recorded. */
export function runWindow(
	inputs: PeerInputs,
	window: PeerWindow,
	policy: Policy,
	runTimeInput: RunTimeInput,
	hooks: EngineOptions & Pick<SpillwayOptions, "onAction"> = {},
): WindowRun {
	const zones = window.zones.flatMap((name) => inputs.zones.get(name) ?? []);
	const spec = specOf(window, zones[0]?.gpus ?? 8, runTimeInput);
	const workMs = Math.round(window.workH * HOUR_MS);
	const { onAction, ...engineOptions } = hooks;
	const engine = new Engine([jobOf(spec, workMs)], scenarioOf(zones, window), engineOptions);
	// Measured lengths differ by a second, so that the history contains distributions, not one step.
	const priorRuns =
		runTimeInput === "length" ? Array.from({ length: PRIOR_RUNS }, (_, i) => ({ spec, durationMs: workMs + i - PRIOR_RUNS / 2 })) : [];
	engine.run(new Spillway(engine, policy, { priorRuns, ...(onAction && { onAction }) }));
	const report = engine.report("spillway");
	return { usd: report.cloudCostUsd, missed: report.strictMisses > 0, refusals: report.refusals, moves: report.moves };
}

function scenarioOf(zones: readonly PeerZone[], { startH, checkpointGb, restartH }: PeerWindow): ReplayScenario {
	const offers = zones.flatMap((zone) => [offerOf(zone, "spot"), offerOf(zone, "on_demand")]);
	const availability = new Map<string, Availability>(
		zones.map((zone) => [offerOf(zone, "spot").id, { ...zone.availability, offsetMs: Math.round(startH * HOUR_MS) }]),
	);
	return {
		name: "skynomad",
		seed: 1,
		startMs: START_MS,
		pools: [],
		offers,
		availability,
		prices: new Map(),
		bootMs: 0,
		refusalMs: 30 * SECOND_MS,
		checkpointEveryMs: MINUTE_MS,
		restoreMs: Math.round(restartH * HOUR_MS),
		stopMs: 0,
		grid: new Map(),
		boardWatts: {},
		onDemandRefusalShare: 0,
		dataOutGiB: 0,
		checkpoints: { gib: checkpointGb, microUsdPerGiBMoved: usdToMicro(MOVE_USD_PER_GIB) },
	};
}

function offerOf({ zone, instanceType, gpus, spotUsdPerHour, onDemandUsdPerHour }: PeerZone, capacityType: "spot" | "on_demand"): Offer {
	const place = { provider: "gcp" as const, region: regionOf(zone), zone, instanceType, capacityType };
	return {
		...place,
		id: offerId(place),
		siteId: "gcp",
		accelerator: ACCELERATOR,
		gpus,
		vcpus: 208,
		memoryGiB: 1872,
		microUsdPerHour: usdToMicro(capacityType === "spot" ? spotUsdPerHour : onDemandUsdPerHour),
		onDemandMicroUsdPerHour: usdToMicro(onDemandUsdPerHour),
		priceObservedAtMs: START_MS,
		priceSource: "results",
		backoffUntilMs: null,
		backoffReason: null,
		egressMicroUsdPerGiB: 0n,
		gridGramsPerKwh: null,
		pue: null,
	};
}

function jobOf(spec: JobSpec, workMs: number): TraceJob {
	return {
		id: "job",
		submitMs: 0,
		durationMs: workMs,
		gpus: spec.resources.gpus,
		team: spec.team,
		user: null,
		accelerators: [],
		deadlineMs: null,
		deadlineKind: "strict",
		status: null,
		limitMs: null,
		recorded: { spec, approvedMicroUsd: null, dataOutGiB: 0, withdrawnMs: null },
	};
}

function specOf({ workH, deadlineH }: PeerWindow, gpus: number, runTimeInput: RunTimeInput): JobSpec {
	const workMs = Math.round(workH * HOUR_MS);
	const deadlineMs = START_MS + Math.round(deadlineH * HOUR_MS);
	return {
		name: "train",
		team: "peers",
		project: null,
		labels: {},
		class: "burst",
		image: null,
		command: ["train"],
		env: {},
		nodes: 1,
		resources: { gpus, accelerators: [], cpus: null, memoryGiB: null },
		// A longest run time is wall-clock time, and includes a restart.
		duration: { estimateMs: runTimeInput === "limit" ? null : workMs, maxMs: runTimeInput === "limit" ? workMs + HOUR_MS : null },
		deadlineMs,
		priority: 0,
		critical: false,
		checkpoint: { path: "/checkpoints", intervalMs: MINUTE_MS },
		data: [],
	};
}

function mean(values: readonly (number | null)[]): number | null {
	let sum = 0;
	for (const value of values) {
		if (value === null) return null;
		sum += value;
	}
	return values.length === 0 ? null : Math.round((100 * sum) / values.length) / 100;
}
