import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { hash32 } from "#server/kernel/random.ts";
import { allCheckers } from "#server/simulation/checkers/all.ts";
import { drawScenario } from "#server/simulation/draw-scenario.ts";
import { replayCommand } from "#server/simulation/replay-command.ts";
import { runChecked } from "#server/simulation/run-checked.ts";

const USAGE = `Simulates a company, its cloud and its control plane with faults drawn from a seed, and holds every promise
against them after every event.

  node server/bin/check-world.ts [--seed N] [--runs N] [--trace]

  --seed N   the first seed; drawn and printed when it is not given
  --runs N   so many seeds from there on (default 1)
  --trace    print what happened, line by line
`;

/** Exit codes: 0 every promise held, 1 one was broken, 2 wrong usage. */
function main(): number {
	const options = readOptions();
	if (typeof options === "string") {
		process.stderr.write(`${options}\n\n${USAGE}`);
		return 2;
	}
	const { seed, runs, trace } = options;
	for (let n = 0; n < runs; n++) if (!runSeed(seed + n, trace)) return 1;
	return 0;
}

function runSeed(seed: number, trace: boolean): boolean {
	process.stdout.write(`SEED=${seed}\n`);
	const scenario = drawScenario(seed);
	if (trace)
		process.stdout.write(
			`${JSON.stringify({ faults: scenario.faults, jobs: scenario.arrivals.length, healAt: iso(scenario.healAtMs) })}\n`,
		);
	const { violation, world, news } = runChecked(scenario, allCheckers());
	if (trace) {
		for (const line of news) {
			const job = line.jobId === null ? "" : (world.book.jobs.get(line.jobId)?.spec.name ?? line.jobId);
			process.stdout.write(`${iso(line.atMs)}  ${line.kind.padEnd(20)}  ${job.padEnd(12)}  ${line.reason?.code ?? ""}\n`);
		}
	}
	const { jobs, attempts, instances } = world.book;
	process.stdout.write(
		`${world.events} events, ${world.cycle.cycles} cycles, ${jobs.size} jobs, ${attempts.size} attempts, ${instances.size} instances, ${world.crashes} crashes; digest ${digest(news)}\n`,
	);
	if (!violation) return true;
	process.stderr.write(
		`BROKEN: ${violation.checker}: ${violation.message}\n  after event ${violation.eventNumber} (${violation.event}) at ${iso(violation.atMs)}\n  again: ${replayCommand(seed)}\n`,
	);
	return false;
}

/** Equal runs have equal digests: for comparing machines and commits. */
function digest(news: readonly unknown[]): string {
	return hash32(JSON.stringify(news)).toString(16).padStart(8, "0");
}

function iso(ms: number): string {
	return new Date(ms).toISOString();
}

function readOptions(): { seed: number; runs: number; trace: boolean } | string {
	try {
		const { values } = parseArgs({ options: { seed: { type: "string" }, runs: { type: "string" }, trace: { type: "boolean" } } });
		const seed = values.seed === undefined ? randomInt(1, 2 ** 31) : Number(values.seed);
		const runs = values.runs === undefined ? 1 : Number(values.runs);
		if (!Number.isSafeInteger(seed) || seed < 0) return `--seed "${values.seed}" is not a whole number from 0 on.`;
		if (!Number.isSafeInteger(runs) || runs < 1) return `--runs "${values.runs}" is not a whole number from 1 on.`;
		return { seed, runs, trace: values.trace ?? false };
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

process.exitCode = main();
