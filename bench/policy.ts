/**
 * Replays a trace under Spillway's policy and the rules of thumb it is compared with:
 * `npm run bench:policy -- --trace FILE --owned N [--json] [--policies a,b] [--spot-runs FILE] [--grid FOLDER] [--policy FILE] [--seed N]`.
 * The scenario is the same for all of them (server/simulation/replay/default-scenario.ts): A100-80GB at the catalog's prices.
 * `replaySeconds` is the time of the spillway replay. Without --trace it uses the traces of ../shared/data, or the synthetic sample of
 * bench/samples if there are none.
 * `--seeds N`: that many draws of spot, 1 to N, each as a cell compared with the rules of lib/policy-cells.ts, instead of one table.
 * `--synthetic N[,N…] [--load L]`: synthetic traces of that many jobs at one load (lib/synthetic-trace.ts), under spillway alone, with the
 * time per job of each; `--owned` then defaults to 384.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { SpillwayError } from "#server/kernel/errors.ts";
import { clairvoyantBound } from "#server/simulation/clairvoyant/bound.ts";
import { round3 } from "#server/simulation/replay/meter.ts";
import { RULES_OF_THUMB_NAMES, replay, SPILLWAY } from "#server/simulation/replay/replay.ts";
import type { ReplayReport, ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";
import { readTrace } from "#server/simulation/trace-file/read-trace.ts";
import { CELL_RULES, type Cell, cellOf, DEADLINE_RULES, summaryOf } from "./lib/policy-cells.ts";
import { policyScenario, readPolicy, readSpotTraces, SHARED } from "./lib/policy-scenario.ts";
import { syntheticTrace } from "./lib/synthetic-trace.ts";

const SAMPLE_TRACE = path.join(import.meta.dirname, "samples/starburst/trace.csv");
const DEFAULT_TRACES = [
	{ trace: "traces/philly_muri_vc2.csv", owned: 256 },
	{ trace: "traces/philly.csv.gz", owned: 384 },
	{ trace: "traces/philly_chronus_mix2_deadlines.csv.gz", owned: 896 },
];

const { values: args } = parseArgs({
	options: {
		trace: { type: "string" },
		owned: { type: "string" },
		json: { type: "boolean", default: false },
		policies: { type: "string" },
		policy: { type: "string", default: path.join(import.meta.dirname, "policies/spillway.yaml") },
		"spot-runs": { type: "string" },
		grid: { type: "string" },
		seed: { type: "string", default: "1" },
		seeds: { type: "string" },
		"no-bound": { type: "boolean", default: false },
		synthetic: { type: "string" },
		load: { type: "string", default: "0.97" },
	},
});

interface Result {
	trace: string;
	ownedGpus: number;
	jobs: number;
	/** Sources of the scenario. Without recordings, spot is a random process and the grid an average, and the figures differ. */
	recordedSpotTraces: number;
	placesWithHourlyGrid: number;
	replaySeconds: number | null;
	policies: Record<string, Omit<ReplayReport, "strategy">>;
	clairvoyantCloudCostUsd: number | null;
}

async function boundOf(jobs: readonly TraceJob[], scenario: ReplayScenario, spillway: ReplayReport | undefined): Promise<number | null> {
	const strict = jobs.some((job) => job.deadlineKind === "strict");
	if (!strict && !spillway) return null;
	const runHours = jobs.reduce((sum, job) => sum + job.durationMs, 0) / 3_600_000;
	const totalDelayHours = strict || !spillway ? null : (spillway.meanTimeToModelS * spillway.jobsDone) / 3600 - runHours;
	return (await clairvoyantBound({ jobs, scenario, totalDelayHours })).cloudCostUsd;
}

const spotTraces = readSpotTraces(args["spot-runs"]);

function scenarioOf(ownedGpus: number, seed = Number(args.seed)): ReplayScenario {
	return policyScenario({ ownedGpus, seed, spotTraces, grid: args.grid });
}

/** Runs one replay after another. A cell is printed when its seed is done, because a large trace takes minutes. */
async function runCells(trace: string, ownedGpus: number, seeds: number): Promise<void> {
	const jobs = await readTrace(trace);
	const policy = readPolicy(args.policy);
	const names = jobs.some((job) => job.deadlineMs !== null) ? [...CELL_RULES, ...DEADLINE_RULES] : CELL_RULES;
	const cells: Cell[] = [];
	for (let seed = 1; seed <= seeds; seed++) {
		const scenario = scenarioOf(ownedGpus, seed);
		const rules = new Map(names.map((name) => [name, replay(jobs, scenario, { name, policy: null })]));
		const spillway = replay(jobs, scenario, { name: SPILLWAY, policy });
		const boundUsd = args["no-bound"] ? null : await boundOf(jobs, scenario, spillway);
		const cell = cellOf({ trace: path.basename(trace), seed, boundUsd }, spillway, rules);
		cells.push(cell);
		if (!args.json) console.log(JSON.stringify(cell));
	}
	const result = { trace: path.basename(trace), ownedGpus, jobs: jobs.length, cells, summary: summaryOf(cells) };
	if (args.json) console.log(JSON.stringify(result));
	else console.table(result.summary);
}

/** Runs one replay after another in this process; the first one also warms it up. */
function runSynthetic(counts: readonly number[], ownedGpus: number): void {
	const policy = readPolicy(args.policy);
	const load = Number(args.load);
	const rows = counts.map((count) => {
		const trace = syntheticTrace({ jobs: count, ownedGpus, load, seed: Number(args.seed) });
		const began = process.cpuUsage();
		const report = replay(trace, scenarioOf(ownedGpus), { name: SPILLWAY, policy });
		const { user, system } = process.cpuUsage(began);
		return {
			jobs: report.jobs,
			jobsDone: report.jobsDone,
			replaySeconds: report.replaySeconds,
			cpuSeconds: round3((user + system) / 1e6),
			microsecondsPerJob: round3((report.replaySeconds * 1e6) / count),
			decisions: report.decisions,
			peakRssMiB: Math.round(process.resourceUsage().maxRSS / 1024),
			meanWaitS: report.meanWaitS,
			cloudGpuHours: report.cloudGpuHours,
		};
	});
	if (args.json) console.log(JSON.stringify({ benchmark: "synthetic", ownedGpus, load, seed: Number(args.seed), rows }));
	else console.table(rows);
}

function defaultRuns(): { trace: string; owned: number }[] {
	const runs = DEFAULT_TRACES.map(({ trace, owned }) => ({ trace: path.join(SHARED, trace), owned })).filter(({ trace }) =>
		existsSync(trace),
	);
	return runs.length > 0 ? runs : [{ trace: SAMPLE_TRACE, owned: 16 }];
}

async function run(trace: string, ownedGpus: number): Promise<Result> {
	const jobs = await readTrace(trace);
	// Without deadlines, Uniform Progress equals eager_spot, or pull.
	const rules = RULES_OF_THUMB_NAMES.filter((name) => !name.startsWith("uniform_progress") || jobs.some((job) => job.deadlineMs !== null));
	const names = args.policies?.split(",") ?? [...rules, SPILLWAY];
	const scenario = scenarioOf(ownedGpus);
	const policy = readPolicy(args.policy);
	const reports = names.map((name) => replay(jobs, scenario, { name, policy: name === SPILLWAY ? policy : null }));
	const spillway = reports.find((report) => report.strategy === SPILLWAY);
	return {
		trace: path.basename(trace),
		ownedGpus,
		jobs: jobs.length,
		recordedSpotTraces: spotTraces.length,
		placesWithHourlyGrid: scenario.grid.size,
		replaySeconds: spillway?.replaySeconds ?? null,
		policies: Object.fromEntries(reports.map(({ strategy, ...figures }) => [strategy, figures])),
		clairvoyantCloudCostUsd: args["no-bound"] ? null : await boundOf(jobs, scenario, spillway),
	};
}

function print(result: Result): void {
	console.log(`${result.trace}: ${result.jobs} jobs on ${result.ownedGpus} owned GPUs; spillway replayed in ${result.replaySeconds} s`);
	if (result.recordedSpotTraces === 0)
		console.log(
			"No recording of spot availability was found: spot is a drawn process, and the figures are not those of docs/simulator.md.",
		);
	const columns = [
		"meanWaitS",
		"p95WaitS",
		"meanTimeToModelS",
		"cloudCostUsd",
		"cloudGpuHours",
		"lostGpuHours",
		"ownedUtilisation",
	] as const;
	const counts = [
		"interruptions",
		"refusals",
		"moves",
		"evictions",
		"strictMisses",
		"avoidableStrictMisses",
		"overshootUsd",
		"replaySeconds",
	] as const;
	for (const group of [columns, counts])
		console.table(
			Object.fromEntries(
				Object.entries(result.policies).map(([name, report]) => [
					name,
					Object.fromEntries(group.map((column) => [column, report[column]])),
				]),
			),
		);
	console.log(`least possible cloud cost with all known beforehand: $${result.clairvoyantCloudCostUsd ?? "?"}`);
}

if (args.grid !== undefined && !existsSync(args.grid))
	throw new SpillwayError("invalid_input", `There is no folder ${args.grid}.`, {
		fix: "Give --grid a folder with files <zone>.csv.gz, or leave it out.",
	});

const runs = args.synthetic ? [] : args.trace ? [{ trace: args.trace, owned: Number(args.owned ?? Number.NaN) }] : defaultRuns();
for (const { trace, owned } of runs) {
	if (!Number.isInteger(owned) || owned < 0)
		throw new SpillwayError("invalid_input", "--owned N: how many GPUs are owned, a whole number.");
	if (args.seeds !== undefined) {
		await runCells(trace, owned, Number(args.seeds));
		continue;
	}
	const result = await run(trace, owned);
	if (args.json) console.log(JSON.stringify(result));
	else print(result);
}
if (args.synthetic) runSynthetic(args.synthetic.split(",").map(Number), Number(args.owned ?? 384));
