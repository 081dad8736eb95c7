import { accessSync, constants, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type ErrorCode, SpillwayError } from "#server/kernel/errors.ts";
import { RULES_OF_THUMB_NAMES } from "#server/simulation/replay/replay.ts";
import { replayWithSeries } from "#server/simulation/replay/replay-with-series.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import {
	describeRun,
	describeScenario,
	describeTrace,
	reportJson,
	type SimulationReport,
	type SimulationRun,
} from "#server/simulation/report/build-report.ts";
import { chooseRuns, type PlannedRun } from "#server/simulation/report/choose-runs.ts";
import { count } from "#server/simulation/report/figures.ts";
import { jobsThatFit, requirePlacesForPipelines } from "#server/simulation/report/jobs-that-fit.ts";
import { ProgressBar } from "#server/simulation/report/progress-bar.ts";
import { renderReport } from "#server/simulation/report/render-report.ts";
import { sizedJobs } from "#server/simulation/report/sized-jobs.ts";
import { readScenarioFile, sha256 } from "#server/simulation/scenario-file/read-scenario.ts";
import { parseTrace, readTextFile } from "#server/simulation/trace-file/read-trace.ts";
import { SHIPPED_FACTS } from "./simulate-facts.ts";
import { readSimulateOptions, type SimulateOptions } from "./simulate-options.ts";

const USAGE = `Usage: spillway simulate [--trace FILE] --scenario FILE [--policy FILE]... [--strategy NAME]... [flags]

Strategies: ${RULES_OF_THUMB_NAMES.join(", ")}, and spillway under each --policy.
docs/simulator.md says what they are, what a scenario holds and what each figure means.
`;

/** Exit codes as in cli/exit.ts. */
const EXIT = { done: 0, badInput: 2 } as const;

function main(): number {
	try {
		const options = readSimulateOptions(process.argv.slice(2));
		if (options) simulate(options);
		else process.stdout.write(USAGE);
		return EXIT.done;
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		process.stderr.write(`spillway: ${lines(error)}\n`);
		return EXIT.badInput;
	}
}

function simulate(options: SimulateOptions): void {
	if (options.out !== null) rejectUnwritable(options.out);
	const runs = chooseRuns(options, (file) => readTextFile(file, "policy"));
	for (const warning of runs.flatMap((run) => run.warnings)) process.stderr.write(`spillway: warning: ${warning}\n`);
	const recorded = options.trace === null ? null : readRecorded(options.trace, options.lenient);
	const { scenario, files } = readScenarioFile(options.scenario, {
		facts: SHIPPED_FACTS,
		recordedStartMs: recorded?.trace.recordedStartMs ?? null,
		...(options.seed === null ? {} : { seed: options.seed }),
	});
	if (!recorded && !scenario.pipelines)
		throw new SpillwayError("invalid_input", "--trace is missing.", {
			fix: "Give --trace FILE, a CSV trace or the output of sacct --parsable2, or list pipelines in the scenario.",
		});
	requirePlacesForPipelines(scenario);
	const jobs = jobsThatFit(sizedJobs(recorded?.trace.jobs ?? [], scenario), scenario);
	if (recorded && jobs.length === 0)
		throw new SpillwayError("invalid_input", `No job of ${options.trace} fits a pool or an offer of ${options.scenario}.`, {
			fix: "Compare the jobs' gpus and gpu_type with the scenario's machines.",
		});
	const report: SimulationReport = {
		apiVersion: "spillway/v1",
		kind: "SimulationReport",
		version: ownVersion(),
		seed: scenario.seed,
		trace:
			recorded && describeTrace({ ...recorded.trace, jobs }, { ...recorded.file, withoutPlace: recorded.trace.jobs.length - jobs.length }),
		scenario: describeScenario(scenario, options.scenario, files),
		runs: runs.map((run) => runOne(run, { jobs, scenario, options })),
	};
	if (options.out !== null) writeReport(options.out, report);
	process.stdout.write(options.json ? reportJson(report) : renderReport(report));
}

function readRecorded(file: string, lenient: boolean) {
	const text = readTextFile(file, "trace");
	const trace = parseTrace(text, file, { lenient, acceleratorsNamed: SHIPPED_FACTS.acceleratorsNamed });
	return { trace, file: { file, sha256: sha256(text) } };
}

function runOne(
	{ choice, policy }: PlannedRun,
	{
		jobs,
		scenario,
		options,
	}: { jobs: readonly TraceJob[]; scenario: ReturnType<typeof readScenarioFile>["scenario"]; options: SimulateOptions },
): SimulationRun {
	const bar = new ProgressBar(process.stderr, { enabled: options.progress, nowMs: () => performance.now() });
	bar.draw(choice.name, 0, 1);
	const report = replayWithSeries(jobs, scenario, choice, { onProgress: (done, total) => bar.draw(choice.name, done, total) });
	bar.clear();
	// Wall-clock figures stay out of the report: its bytes depend only on its inputs.
	if (!options.json)
		process.stderr.write(
			`${choice.name}: ${count(report.decisions)} decisions in ${report.replaySeconds} s (${count(report.decisionsPerSecond)} a second)\n`,
		);
	return describeRun(policy, report, options.timings);
}

/** Checked before hours of replay, not after. */
function rejectUnwritable(file: string): void {
	try {
		if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw outError("invalid_input", file, "it is a directory");
		accessSync(path.dirname(path.resolve(file)), constants.W_OK);
	} catch (error) {
		if (error instanceof SpillwayError) throw error;
		throw outError("not_found", file, "its directory is not there or may not be written");
	}
}

function writeReport(file: string, report: SimulationReport): void {
	try {
		writeFileSync(file, reportJson(report));
	} catch (cause) {
		throw outError("unavailable", file, cause instanceof Error ? cause.message : String(cause));
	}
}

function outError(code: ErrorCode, file: string, why: string): SpillwayError {
	return new SpillwayError(code, `--out: ${file} cannot be written: ${why}.`, { fix: "Name another file." });
}

function ownVersion(): string {
	const file = path.resolve(import.meta.dirname, "../../package.json");
	const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
	return version;
}

/** Prints what happened and what to do, then every other problem with its line. */
function lines(error: SpillwayError): string {
	const [, ...others] = error.fields.filter((field) => field.line !== undefined);
	const more = others.map(
		({ path: field, message, line, column }) =>
			`\n  line ${line}${column === undefined ? "" : `, column ${column}`}: ${field === "" ? "" : `${field}: `}${message}`,
	);
	return [error.message, error.fix ?? ""].filter((part) => part !== "").join(" ") + more.join("");
}

// A reader that closes the pipe early (| head) is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code === "EPIPE") process.exit(EXIT.done);
	throw error;
});
process.exitCode = main();
