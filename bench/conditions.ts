/**
 * Spillway's policy under worse conditions than the benchmark's, compared with eager spot, pull and consolidation:
 * `npm run bench:conditions -- --trace FILE --owned N [--seeds N] [--only a,b] [--policy FILE] [--spot-runs FILE] [--json]`.
 * One row for each condition of lib/hard-conditions.ts: geometric means and the worst over the seeds. docs/simulator.md has figures.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { MeasuredRun } from "#server/simulation/replay/meter.ts";
import { replay, SPILLWAY } from "#server/simulation/replay/replay.ts";
import { readTrace } from "#server/simulation/trace-file/read-trace.ts";
import { round } from "./lib/figures.ts";
import { HARD_CONDITIONS } from "./lib/hard-conditions.ts";
import { policyScenario, readPolicy, readSpotTraces } from "./lib/policy-scenario.ts";
import { RepeatedAsks } from "./lib/repeated-asks.ts";

const { values: args } = parseArgs({
	options: {
		trace: { type: "string" },
		owned: { type: "string" },
		seeds: { type: "string", default: "1" },
		only: { type: "string" },
		policy: { type: "string", default: path.join(import.meta.dirname, "policies/spillway.yaml") },
		"spot-runs": { type: "string" },
		json: { type: "boolean", default: false },
	},
});

interface Row {
	condition: string;
	/** Cloud cost ÷ each rule's, geometric mean over the seeds; the worst of them; hours to the model ÷ the rule's. */
	toEager: number;
	toPull: number;
	toConsolidate: number;
	worst: number;
	timeToEager: number;
	timeToPull: number;
	/** Lost GPU-hours ÷ the rule's. */
	lostToEager: number;
	interruptions: number;
	refusals: number;
	/** Most refused launches of one job within an hour at offers that had refused it within that hour. */
	mostRepeatedAsks: number;
	avoidableMisses: number;
}

const owned = Number(args.owned);
if (!args.trace || !Number.isInteger(owned) || owned < 0)
	throw new SpillwayError("invalid_input", "Give --trace FILE and --owned N.", { fix: "N is the number of owned GPUs." });
const names = args.only?.split(",") ?? [...HARD_CONDITIONS.keys()];
const jobs = await readTrace(args.trace);
const policy = readPolicy(args.policy);
const spotTraces = readSpotTraces(args["spot-runs"]);
const rows: Row[] = [];
for (const condition of names) {
	const row = rowOf(condition);
	rows.push(row);
	if (!args.json) console.log(JSON.stringify(row));
}
if (args.json) console.log(JSON.stringify({ trace: path.basename(args.trace), ownedGpus: owned, jobs: jobs.length, conditions: rows }));

function rowOf(condition: string): Row {
	const change = HARD_CONDITIONS.get(condition);
	if (!change)
		throw new SpillwayError("invalid_input", `There is no condition ${condition}.`, {
			fix: `Known: ${[...HARD_CONDITIONS.keys()].join(", ")}.`,
		});
	const asks = new RepeatedAsks();
	const cells = Array.from({ length: Number(args.seeds) }, (_, i) => {
		const scenario = change(policyScenario({ ownedGpus: owned, seed: i + 1, spotTraces }));
		const of = (name: string) => replay(jobs, scenario, { name, policy: null });
		const spillway = replay(jobs, scenario, { name: SPILLWAY, policy }, { onRun: (run: MeasuredRun) => asks.add(run) });
		return { spillway, eager: of("eager_spot"), pull: of("pull"), consolidate: of("consolidate") };
	});
	const mean = (value: (cell: (typeof cells)[number]) => number): number =>
		round(Math.exp(cells.reduce((sum, cell) => sum + Math.log(value(cell)), 0) / cells.length), 4);
	const total = (value: (cell: (typeof cells)[number]) => number): number => cells.reduce((sum, cell) => sum + value(cell), 0);
	return {
		condition,
		toEager: mean(({ spillway, eager }) => spillway.cloudCostUsd / eager.cloudCostUsd),
		toPull: mean(({ spillway, pull }) => spillway.cloudCostUsd / pull.cloudCostUsd),
		toConsolidate: mean(({ spillway, consolidate }) => spillway.cloudCostUsd / consolidate.cloudCostUsd),
		worst: round(
			Math.max(
				...cells.map(
					({ spillway, eager, pull, consolidate }) =>
						spillway.cloudCostUsd / Math.min(eager.cloudCostUsd, pull.cloudCostUsd, consolidate.cloudCostUsd),
				),
			),
			4,
		),
		timeToEager: mean(({ spillway, eager }) => spillway.meanTimeToModelS / eager.meanTimeToModelS),
		timeToPull: mean(({ spillway, pull }) => spillway.meanTimeToModelS / pull.meanTimeToModelS),
		lostToEager: mean(({ spillway, eager }) => spillway.lostGpuHours / eager.lostGpuHours),
		interruptions: total(({ spillway }) => spillway.interruptions),
		refusals: total(({ spillway }) => spillway.refusals),
		mostRepeatedAsks: asks.most,
		avoidableMisses: total(({ spillway }) => spillway.avoidableStrictMisses),
	};
}
