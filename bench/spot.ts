/**
 * Spot with a guarantee on recorded availability: `npm run bench:spot -- --runs FILE --traces FILE [--json] [--starts N] [--work 48h]
 * [--spot-price 0.3]`. For each trace and deadline factor, and for all zones recorded together, many jobs are run by the rule of
 * server/scheduling/spot-guarantee, by Uniform Progress, and by perfect foresight. docs/spot.md explains the terms and the figures.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { MINUTE_MS, parseDurationMs } from "#server/kernel/units.ts";
import { chooseWithDeadline } from "#server/scheduling/spot-guarantee/choose-with-deadline.ts";
import { chooseUniformProgress, type UniformProgressReading } from "#server/scheduling/spot-guarantee/uniform-progress.ts";
import { round } from "./lib/figures.ts";
import { type WatchedZone, watch } from "./lib/spot-feed.ts";
import { SpotOptimum } from "./lib/spot-optimum.ts";
import { runJob, type SpotTerms } from "./lib/spot-run.ts";
import { readSpotTraces, type SpotTrace } from "./lib/spot-traces.ts";

const SHARED = "../shared/data/spot";
const { values: args } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		runs: { type: "string", default: `${SHARED}/availability_runs.csv.gz` },
		traces: { type: "string", default: `${SHARED}/availability_traces.csv` },
		starts: { type: "string", default: "100" },
		work: { type: "string", default: "48h" },
		"spot-price": { type: "string", default: "0.3" },
	},
});
for (const file of [args.runs, args.traces])
	if (!existsSync(file))
		throw new Error(`There is no file ${file}. Give the recorded runs with --runs and the table of traces with --traces.`);

const workMs = parseDurationMs(args.work);
const spotPrice = Number(args["spot-price"]);
if (workMs === null || !(spotPrice > 0 && spotPrice < 1))
	throw new Error("--work takes a time such as 48h, --spot-price a share of on-demand between 0 and 1.");
const terms: SpotTerms = { workMs, bootMs: 4 * MINUTE_MS, restoreMs: 3 * MINUTE_MS, checkpointEveryMs: 15 * MINUTE_MS, spotPrice };
const FACTORS = [1.1, 1.25, 1.5];
const CHANGEOVER_MS = terms.bootMs + terms.restoreMs;

/** Uniform Progress in two readings of its hysteresis, with the paper's d (which includes the work lost on average) and without. */
const VARIANTS = {
	paper: { reading: "paper", changeoverMs: CHANGEOVER_MS + terms.checkpointEveryMs / 2 },
	simulator: { reading: "simulator", changeoverMs: CHANGEOVER_MS + terms.checkpointEveryMs / 2 },
	paperWithoutLoss: { reading: "paper", changeoverMs: CHANGEOVER_MS },
	simulatorWithoutLoss: { reading: "simulator", changeoverMs: CHANGEOVER_MS },
} as const satisfies Record<string, { reading: UniformProgressReading; changeoverMs: number }>;
type Variant = keyof typeof VARIANTS;
const NAMES: readonly Variant[] = ["paper", "simulator", "paperWithoutLoss", "simulatorWithoutLoss"];
const byVariant = (value: (name: Variant) => number): Record<Variant, number> => ({
	paper: value("paper"),
	simulator: value("simulator"),
	paperWithoutLoss: value("paperWithoutLoss"),
	simulatorWithoutLoss: value("simulatorWithoutLoss"),
});

/** Sums over the starts of one trace (or group) and factor, in hours of on-demand. */
interface Sums {
	rule: number;
	misses: number;
	optimal: number;
	/** By zone, then by variant. */
	uniform: Record<Variant, number>[];
}

/** Starts spread evenly over the part of the trace that leaves room for the longest deadline. */
function startsOf(ticks: number, tickMs: number): number[] {
	const last = ticks - Math.ceil((Math.max(...FACTORS) * terms.workMs) / tickMs) - 1;
	const wanted = Number(args.starts);
	if (last < 0) return [];
	return [...new Set(Array.from({ length: wanted }, (_, k) => Math.floor((last * k) / Math.max(1, wanted - 1))))];
}

function measure(zones: readonly WatchedZone[], tickMs: number, starts: readonly number[]): Map<number, Sums> {
	const optimum = new SpotOptimum(
		zones.map((zone) => zone.up),
		tickMs,
		terms,
	);
	const sums = new Map(
		FACTORS.map((factor): [number, Sums] => [factor, { rule: 0, misses: 0, optimal: 0, uniform: zones.map(() => byVariant(() => 0)) }]),
	);
	for (const start of starts) {
		for (const [factor, sum] of sums) {
			const run = runJob(zones, tickMs, start, factor, terms, chooseWithDeadline);
			sum.rule += run.cost;
			if (run.missed) sum.misses++;
			sum.optimal += optimum.cost(start, factor);
			for (const [index, zone] of zones.entries()) for (const name of NAMES) addUniform(sum, index, zone, name, tickMs, start, factor);
		}
	}
	return sums;
}

function addUniform(sum: Sums, index: number, zone: WatchedZone, name: Variant, tickMs: number, start: number, factor: number): void {
	const { reading, changeoverMs } = VARIANTS[name];
	const memory = { startedAtMs: 0, workMs: terms.workMs, locked: false, changeoverMs };
	const run = runJob([zone], tickMs, start, factor, terms, (state) => chooseUniformProgress(state, memory, reading));
	const costs = sum.uniform[index];
	if (costs) costs[name] += run.cost;
	if (run.missed)
		throw new Error(`Uniform Progress (${name}) missed a deadline in ${zone.id}: the baseline is not implemented faithfully.`);
}

interface Row {
	traceId: string;
	deadlineFactor: number;
	starts: number;
	misses: number;
	costToUniformProgress: number;
	costToOptimal: number;
	costToOnDemand: number;
	costToUniformProgressVariants: Record<Variant, number>;
	uniformProgressToOptimal: number;
}

function rowOf(traceId: string, deadlineFactor: number, starts: number, sum: Sums): Row {
	const best = (name: Variant): number => Math.min(...sum.uniform.map((zone) => zone[name]));
	const strongest = Math.min(best("paper"), best("simulator"));
	const onDemand = starts * ((terms.workMs + terms.bootMs + terms.restoreMs) / 3_600_000);
	return {
		traceId,
		deadlineFactor,
		starts,
		misses: sum.misses,
		costToUniformProgress: round(sum.rule / strongest, 4),
		costToOptimal: round(sum.rule / sum.optimal, 4),
		costToOnDemand: round(sum.rule / onDemand, 4),
		costToUniformProgressVariants: byVariant((name) => round(sum.rule / best(name), 4)),
		uniformProgressToOptimal: round(strongest / sum.optimal, 4),
	};
}

const startedMs = performance.now();
const traces = readSpotTraces(args.runs, args.traces);
const skipped: string[] = [];
const rows: Row[] = [];
const multiZone: Row[] = [];
for (const trace of traces) {
	const starts = startsOf(trace.up.length, trace.gapMs);
	if (starts.length === 0) skipped.push(trace.id);
	else
		for (const [factor, sum] of measure([watch(trace, terms)], trace.gapMs, starts)) rows.push(rowOf(trace.id, factor, starts.length, sum));
}
for (const [group, zones] of Map.groupBy(traces, (trace: SpotTrace) => trace.group)) {
	const starts = startsOf(Math.min(...zones.map((zone) => zone.up.length)), zones[0]?.gapMs ?? 1);
	if (zones.length < 2 || starts.length === 0) continue;
	const watched = zones.map((zone) => watch(zone, terms));
	for (const [factor, sum] of measure(watched, zones[0]?.gapMs ?? 1, starts))
		multiZone.push(rowOf(`${group}: ${zones.length} zones`, factor, starts.length, sum));
}

const mean = (of: readonly Row[], value: (row: Row) => number): number | null =>
	of.length === 0 ? null : round(of.reduce((sum, row) => sum + value(row), 0) / of.length, 4);
const summaryOf = (of: readonly Row[]) => ({
	misses: of.reduce((sum, row) => sum + row.misses, 0),
	costToUniformProgress: mean(of, (row) => row.costToUniformProgress),
	costToUniformProgressVariants: byVariant((name) => mean(of, (row) => row.costToUniformProgressVariants[name]) ?? Number.NaN),
	costToOptimal: mean(of, (row) => row.costToOptimal),
	costToOnDemand: mean(of, (row) => row.costToOnDemand),
});
const report = {
	assumptions: {
		job: `${args.work} of work, one instance; deadline = factor × work after the start`,
		prices: `on-demand 1, spot ${spotPrice}, in every zone; billed from launch to end`,
		changeover: "4 min boot + 3 min restore at each start, on spot and on on-demand",
		checkpoints: "saved after each 15 min of work, and when a strategy leaves an instance; an interruption loses the work since",
		choices: "at each probe of the trace; every strategy sees which zones are up; spot lasts from one probe to the next",
		learning: "the rule has watched each zone from the trace's beginning up to now, never beyond; its model is renewed once a day",
		uniformProgress:
			"the cheaper of two readings of its hysteresis (paper, authors' simulator), d = 14.5 min: changeover and the work lost on average, as the paper defines it; WithoutLoss: d = 7 min; several zones: in the best one by mean cost",
		optimal: "perfect foresight under the same terms, by dynamic programming; a ratio of 1.10 is a gap of 10%",
		ratios: "ratio of mean costs over the starts; summary: mean over the rows",
	},
	rows,
	multiZone,
	summary: { singleZone: summaryOf(rows), multiZone: summaryOf(multiZone) },
	skipped,
	seconds: round((performance.now() - startedMs) / 1000, 1),
};
if (args.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else printTable();

function printTable(): void {
	const line = (cells: readonly (string | number)[]): string =>
		cells.map((cell, i) => (i === 0 ? String(cell).padEnd(76) : String(cell).padStart(10))).join("");
	const print = (text: string): boolean => process.stdout.write(`${text}\n`);
	print(line(["trace", "deadline", "starts", "misses", "/UniformP", "/optimal", "/onDemand", "UP/optimal"]));
	for (const r of [...rows, ...multiZone])
		print(
			line([
				r.traceId,
				r.deadlineFactor,
				r.starts,
				r.misses,
				r.costToUniformProgress,
				r.costToOptimal,
				r.costToOnDemand,
				r.uniformProgressToOptimal,
			]),
		);
	for (const [name, summary] of Object.entries(report.summary)) print(`${name}: ${JSON.stringify(summary)}`);
	for (const [name, text] of Object.entries(report.assumptions)) print(`  ${name}: ${text}`);
	if (skipped.length > 0) print(`shorter than the longest deadline, left out: ${skipped.join(", ")}`);
	print(`${report.seconds} s`);
}
