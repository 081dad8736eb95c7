import type { ReplayReport, ReplayScenario } from "#server/simulation/replay/types.ts";
import type { Trace } from "#server/simulation/trace-file/read-trace.ts";
import type { TraceNotes } from "#server/simulation/trace-file/types.ts";

/** Output of `spillway simulate --json`: nothing in it depends on the clock or the machine. */
export interface SimulationReport {
	apiVersion: "spillway/v1";
	kind: "SimulationReport";
	/** Spillway's version. */
	version: string;
	seed: number;
	/** null: only the pipelines of the scenario are replayed. */
	trace: DescribedTrace | null;
	scenario: {
		name: string;
		file: string;
		/** The scenario and the files it names, with hashes of their contents. */
		files: { path: string; sha256: string }[];
		/** UTC. */
		start: string;
		ownedGpus: number;
		offers: number;
		spotOffers: number;
		/** Spot offers with recorded availability; the others are always available. */
		spotOffersWithTrace: number;
		/** Pools and offers with unknown grid or power: the figures exclude their CO2. */
		placesWithoutCarbon: number;
		/** Pipelines that are submitted. Absent: none. */
		pipelines?: number;
		bootMs: number;
		/** null: jobs save nothing. */
		checkpointEveryMs: number | null;
		restoreMs: number;
		onDemandRefusalShare: number;
	};
	runs: SimulationRun[];
}

/** The replayed trace. */
export interface DescribedTrace {
	file: string;
	sha256: string;
	format: Trace["format"];
	/** Jobs that are replayed. */
	jobs: number;
	/** Jobs that no pool or offer of the scenario can hold. */
	jobsWithoutPlace: number;
	gpuHours: number;
	/** From the first submission to the last. */
	days: number;
	teams: number;
	strictDeadlines: number;
	softDeadlines: number;
	notes: TraceNotes;
}

export interface SimulationRun {
	/** Policy of Spillway's own core; null for a rule of thumb. */
	policy: { file: string; name: string; sha256: string } | null;
	report: Omit<ReplayReport, "decisionsPerSecond" | "replaySeconds"> & Partial<Pick<ReplayReport, "decisionsPerSecond" | "replaySeconds">>;
}

/** @param trace the jobs that are replayed. */
export function describeTrace(
	trace: Trace,
	{ file, sha256, withoutPlace }: { file: string; sha256: string; withoutPlace: number },
): DescribedTrace {
	const { jobs } = trace;
	const ofKind = (kind: string): number => jobs.filter((job) => job.deadlineMs !== null && job.deadlineKind === kind).length;
	const lastMs = jobs.at(-1)?.submitMs ?? 0;
	const gpuMs = jobs.reduce((sum, job) => sum + job.durationMs * job.gpus, 0);
	return {
		...{ file, sha256, format: trace.format, jobs: jobs.length, jobsWithoutPlace: withoutPlace },
		gpuHours: rounded(gpuMs / 3_600_000),
		days: rounded((lastMs - (jobs[0]?.submitMs ?? 0)) / 86_400_000),
		teams: new Set(jobs.map((job) => job.team)).size,
		...{ strictDeadlines: ofKind("strict"), softDeadlines: ofKind("soft"), notes: trace.notes },
	};
}

export function describeScenario(
	scenario: ReplayScenario,
	file: string,
	files: SimulationReport["scenario"]["files"],
): SimulationReport["scenario"] {
	const spot = scenario.offers.filter((offer) => offer.capacityType === "spot");
	const { bootMs, checkpointEveryMs, restoreMs, onDemandRefusalShare } = scenario;
	return {
		...{ name: scenario.name, file, files, start: new Date(scenario.startMs).toISOString() },
		ownedGpus: scenario.pools.reduce((sum, pool) => sum + pool.nodes * pool.gpusPerNode, 0),
		offers: scenario.offers.length,
		spotOffers: spot.length,
		spotOffersWithTrace: spot.filter((offer) => scenario.availability.has(offer.id)).length,
		placesWithoutCarbon: placesWithoutCarbon(scenario),
		...(scenario.pipelines && { pipelines: scenario.pipelines.length }),
		...{ bootMs, checkpointEveryMs: Number.isFinite(checkpointEveryMs) ? checkpointEveryMs : null, restoreMs, onDemandRefusalShare },
	};
}

function placesWithoutCarbon({ pools, offers, grid, boardWatts }: ReplayScenario): number {
	const known = (place: string, average: number | null): boolean => average !== null || grid.has(place);
	const dark = offers.filter(
		(offer) => !known(`${offer.provider}:${offer.region}`, offer.gridGramsPerKwh) || !boardWatts[offer.accelerator] || offer.pue === null,
	);
	return dark.length + pools.filter((pool) => !known(pool.id, pool.gridGramsPerKwh)).length;
}

/** A run without clock-dependent values, unless they were requested. */
export function describeRun(policy: SimulationRun["policy"], report: ReplayReport, timings: boolean): SimulationRun {
	const { decisionsPerSecond, replaySeconds, ...rest } = report;
	return { policy, report: timings ? { ...rest, decisionsPerSecond, replaySeconds } : rest };
}

/** Serializes the report; equal inputs give equal bytes. */
export function reportJson(report: SimulationReport): string {
	return `${JSON.stringify(report, null, 1)}\n`;
}

function rounded(value: number): number {
	return Math.round(value * 1000) / 1000;
}
