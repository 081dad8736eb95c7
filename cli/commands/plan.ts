import { OPEN_TRACE_NAMES } from "#server/domain/open-traces.ts";
import { badInput } from "../args.ts";
import type { Command, CommandContext } from "../command.ts";
import type { ExitCode } from "../exit.ts";
import { runServerProgram } from "../run-server-program.ts";

/** Runs on the server's side: it replays with the same core that decides live. */
const PROGRAM = "server/bin/plan.ts";

/** Passed on unchanged. */
const VALUES = [
	...["trace", "gpus", "accelerator", "start", "team", "class", "gpu", "days", "scenario", "policy", "card", "job"],
	...["save-scenario", "seed", "horizon", "discount", "growth", "delivery", "parallel", "commitment-discount"],
] as const;
const SWITCHES = ["json", "redact"] as const;

export const plan: Command = {
	name: "plan",
	usage: "assess | compare | headline --trace FILE [--gpus N]",
	summary: "analyze a recorded history: what to buy, rent or burst; needs no server",
	details: `
assess profiles a trace (CSV, sacct --parsable2, or JSON of Slurm's REST API or kubectl, gzipped or
not): demand against capacity, waits, idle and lost GPU time, and job families scored for bursting, with reasons.
compare replays it with the decision core: owned GPUs only, bursting, more GPUs, cloud only, and mixes;
full cost, CO2e, NPV, ranges, and a decision. headline compares published claims with the trace's results.
docs/plan.md explains each figure. Exit codes: 0 done, 2 wrong input.`,
	local: true,
	options: {
		trace: { value: "FILE", help: `the recorded jobs, or an open trace: ${OPEN_TRACE_NAMES.join(", ")} (headline: all of these)` },
		gpus: { value: "N", help: "owned GPUs (default: from the history)" },
		accelerator: { value: "MODEL", help: "owned model, for prices (default: A100-80GB)" },
		start: { value: "DATE", help: "when a CSV trace begins, UTC (default: a Monday)" },
		team: { value: "NAME", help: "assess: profile only this team's jobs" },
		class: { value: "NAME", help: "assess: profile only jobs of this class" },
		gpu: { value: "MODEL", help: "assess: profile only jobs of this GPU model" },
		days: { value: "N", help: "compare: only the last N days of the history" },
		scenario: { value: "FILE", help: "compare: sites and prices (default: --gpus, and the catalog of the United States)" },
		policy: { value: "FILE", help: "compare: also burst under this policy" },
		card: { value: "FILE", help: "compare: rate card of the owned GPUs, JSON (default: the shipped one)" },
		job: { value: "FILE", help: "headline: job file with the spec.scaling of the one job on more GPUs" },
		"save-scenario": { value: "DIR", help: "compare: write the scenario and policies, for spillway simulate" },
		seed: { value: "N", help: "compare: seed for spot and sampled weeks (default: 1)" },
		horizon: { value: "MONTHS", help: "compare: period of NPV and payback (default: the rate card's life)" },
		discount: { value: "PERCENT", help: "compare: annual discount rate (default: 8)" },
		growth: { value: "PERCENT", help: "compare: annual demand growth (default: 0)" },
		delivery: { value: "MONTHS", help: "compare: time from order to use (default: 4)" },
		parallel: { value: "PERCENT", help: "headline: parallel share of the one job on more GPUs (default: 97)" },
		"commitment-discount": { value: "PERCENT", help: "discount of reserved GPUs on the on-demand price (default: 40)" },
		redact: { help: "replace team and job names with numbers" },
	},
	positionals: { min: 1, max: 1, name: "command" },
	examples: [
		"spillway plan assess --trace examples/simulate/trace.csv --gpus 32",
		"spillway plan assess --trace examples/simulate/trace.csv --gpus 32 --team risk",
		"spillway plan compare --trace examples/simulate/trace.csv --gpus 32 --discount 7",
		"spillway plan headline --json",
		"spillway plan headline --trace examples/simulate/trace.csv --gpus 32",
		"spillway plan assess --trace sacct.txt.gz --redact --json > assessment.json",
	],
	run: (ctx) => runPlan(ctx),
};

function runPlan({ io, args }: CommandContext): Promise<ExitCode> {
	const [verb = ""] = args.positionals;
	if (args.text("trace") === undefined && verb !== "headline")
		throw badInput("--trace is missing: give --trace FILE, the recorded jobs, or an open trace.");
	const argv = [
		verb,
		...VALUES.flatMap((name) => args.list(name).map((value) => `--${name}=${value}`)),
		...SWITCHES.flatMap((name) => (args.has(name) ? [`--${name}`] : [])),
		...(io.progress ? [] : ["--no-progress"]),
	];
	return runServerProgram(io, PROGRAM, argv);
}
