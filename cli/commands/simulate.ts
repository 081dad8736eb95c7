import { badInput } from "../args.ts";
import type { Command, CommandContext } from "../command.ts";
import type { ExitCode } from "../exit.ts";
import { runServerProgram } from "../run-server-program.ts";

/** Runs on the server's side: it replays with the same core that decides live. */
const PROGRAM = "server/bin/simulate.ts";

/** Passed on unchanged. */
const FILES = ["trace", "scenario", "policy", "strategy", "seed", "out"] as const;
const SWITCHES = ["json", "lenient", "timings"] as const;

export const simulate: Command = {
	name: "simulate",
	usage: "[--trace FILE] --scenario FILE [--policy FILE]... [--strategy NAME]...",
	summary: "compare policies and simple rules on recorded jobs; needs no server",
	details: `
Replays a trace (CSV, or the output of sacct --parsable2, gzipped or not) against the sites
and prices of a scenario: waits, cost, CO2, interruptions and missed deadlines of each policy.
docs/simulator.md explains how to record a trace, the scenario file and each figure.
Exit codes: 0 done, 2 wrong input.`,
	local: true,
	options: {
		trace: { value: "FILE", help: "the recorded jobs; optional if the scenario has pipelines" },
		scenario: { value: "FILE", help: "sites, offers and prices of the replay (YAML)" },
		policy: { value: "FILE", many: true, help: "replay under this policy; may be repeated" },
		strategy: { value: "NAME", many: true, help: "compare with this simple rule; may be repeated (default: all)" },
		seed: { value: "N", help: "overrides the scenario's seed" },
		out: { value: "FILE", help: "also write the JSON report to this file" },
		lenient: { help: "skip trace rows that cannot be read, and count them" },
		timings: { help: "add decisions per second to the JSON, which then differs between runs" },
	},
	positionals: { min: 0, max: 0, name: "nothing" },
	examples: [
		"spillway simulate --trace examples/simulate/trace.csv --scenario examples/simulate/own-prices.yaml --policy examples/simulate/policy.yaml",
		"spillway simulate --scenario examples/simulate/pipelines.yaml --policy examples/simulate/policy.yaml",
		"spillway simulate --trace jobs.csv.gz --scenario mine.yaml --policy old.yaml --policy new.yaml --strategy owned_backfill --json > report.json",
	],
	run: (ctx) => runProgram(ctx),
};

function runProgram({ io, args }: CommandContext): Promise<ExitCode> {
	if (args.text("scenario") === undefined) throw badInput("--scenario is missing: give --scenario FILE; examples/simulate has four.");
	const argv = [
		...FILES.flatMap((name) => args.list(name).map((value) => `--${name}=${value}`)),
		...SWITCHES.flatMap((name) => (args.has(name) ? [`--${name}`] : [])),
		...(io.progress ? [] : ["--no-progress"]),
	];
	return runServerProgram(io, PROGRAM, argv);
}
