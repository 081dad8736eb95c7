/**
 * Machines kept ready, and what they save: `npm run bench:prewarm -- [--trace FILE --owned N] [--machines 1,4,16] [--by forecast|hours]
 * [--state stopped|running] [--waiting USD] [--start SECONDS] [--capacity on_demand|spot|any] [--spot-runs FILE] [--policy FILE]
 * [--json]`. Replays a trace without kept machines, then with up to M of each size (1, 2, 4 and 8 GPUs). Ratios compare with the first
 * replay: the P95 wait of jobs that first started in a cloud, and all cloud money. The first line is the point with the shortest wait for
 * at most 3% more money. `--start`: from the start of a stopped machine to a running command.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { type Policy, type RuleEffect, WEEKDAYS } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { tracePathOf } from "#server/plan/open-traces.ts";
import { replay, SPILLWAY } from "#server/simulation/replay/replay.ts";
import type { ReplayReport } from "#server/simulation/replay/types.ts";
import { readTrace } from "#server/simulation/trace-file/read-trace.ts";
import { round } from "./lib/figures.ts";
import { policyScenario, readPolicy, readSpotTraces } from "./lib/policy-scenario.ts";

const ACCELERATOR = "A100-80GB";
const SIZES = [1, 2, 4, 8];
/** More money than this is not worth a shorter wait. */
const COST_RATIO_MAX = 1.03;
const STATES = ["stopped", "running"] as const;
const CAPACITIES = ["on_demand", "spot", "any"] as const;

const { values: args } = parseArgs({
	options: {
		trace: { type: "string", default: "philly-ee9e8c" },
		owned: { type: "string", default: "130" },
		machines: { type: "string", default: "1,4,8,12,16,32" },
		by: { type: "string", default: "hours" },
		state: { type: "string", default: "stopped" },
		waiting: { type: "string", default: "5" },
		start: { type: "string", default: "90" },
		capacity: { type: "string", default: "on_demand" },
		policy: { type: "string", default: path.join(import.meta.dirname, "policies/prewarm.yaml") },
		"spot-runs": { type: "string" },
		json: { type: "boolean", default: false },
	},
});

function choose<const T extends string>(name: string, value: string, known: readonly T[]): T {
	const found = known.find((each) => each === value);
	if (found !== undefined) return found;
	throw new SpillwayError("invalid_input", `--${name} ${value} is unknown.`, { fix: `Use ${known.join(", ")}.` });
}
const by = choose("by", args.by, ["forecast", "hours"]);
const state = choose("state", args.state, STATES);
const capacity = choose("capacity", args.capacity, CAPACITIES);

/** Without a limit that binds: the curve shows the price. */
function ruleOf(machines: number, gpusPerMachine: number): RuleEffect {
	return {
		...{ kind: "prewarm", machines, accelerator: ACCELERATOR, gpusPerMachine, state, sites: [], capacityType: null },
		capMicroUsdPerMonth: usdToMicro("1000000"),
		idleMs: state === "stopped" ? 7 * DAY_MS : 30 * MINUTE_MS,
		waitingMicroUsdPerGpuHour: usdToMicro(args.waiting),
		hours: by === "forecast" ? null : { days: [...WEEKDAYS], fromMinute: 0, toMinute: 24 * 60 },
	};
}

function withRules(policy: Policy, machines: number): Policy {
	const rules = SIZES.map((gpus) => ({ id: `kept-${gpus}`, when: null, line: 1, effect: ruleOf(machines, gpus) }));
	return { ...policy, rules: [...policy.rules, ...rules] };
}

interface Point {
	/** Of each size. */
	machines: number;
	p95WaitRatio: number;
	meanWaitRatio: number;
	costRatio: number;
	p95BurstWaitS: number;
	burstJobs: number;
	keptWarmUsd: number;
	cloudCostUsd: number;
}

function pointOf(machines: number, report: ReplayReport, base: ReplayReport): Point {
	const { p95BurstWaitS, burstJobs, cloudCostUsd, keptWarmUsd = 0 } = report;
	return {
		machines,
		p95WaitRatio: round(p95BurstWaitS / base.p95BurstWaitS, 4),
		meanWaitRatio: round(report.meanBurstWaitS / base.meanBurstWaitS, 4),
		costRatio: round(cloudCostUsd / base.cloudCostUsd, 4),
		...{ p95BurstWaitS, burstJobs, keptWarmUsd, cloudCostUsd },
	};
}

const jobs = await readTrace(tracePathOf(args.trace));
const whole = policyScenario({ ownedGpus: Number(args.owned), seed: 1, spotTraces: readSpotTraces(args["spot-runs"]) });
const startFromStoppedMs = Number(args.start) * SECOND_MS;
const offers = whole.offers.filter((offer) => capacity === "any" || offer.capacityType === capacity);
const scenario = { ...whole, startFromStoppedMs, offers };
const policy = readPolicy(args.policy);
const base = replay(jobs, scenario, { name: SPILLWAY, policy });
const counts = args.machines.split(",").map(Number);
const curve = [
	pointOf(0, base, base),
	...counts.map((machines) => pointOf(machines, replay(jobs, scenario, { name: SPILLWAY, policy: withRules(policy, machines) }), base)),
];
const affordable = curve.filter(({ costRatio }) => costRatio <= COST_RATIO_MAX);
const best = affordable.reduce((a, b) => (b.p95WaitRatio < a.p95WaitRatio ? b : a));
const { p95WaitRatio, costRatio, machines } = best;
const result = { benchmark: "prewarm", trace: path.basename(args.trace), ownedGpus: Number(args.owned), by, state, capacity };
if (args.json) console.log(JSON.stringify({ ...result, p95WaitRatio, costRatio, machines, curve }));
else {
	console.log(JSON.stringify({ p95WaitRatio, costRatio, machines }));
	console.table(curve);
}
