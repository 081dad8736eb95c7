import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { startThrowawayPostgres } from "../../scripts/test-postgres.mjs";
import { CUTS, drawPlan, PROCESSES } from "./draw-plan.ts";
import { CLOCK_RATE } from "./fast-clock.ts";
import { runAll } from "./fleet.ts";
import type { Plan } from "./plan.ts";
import { renderReport } from "./report.ts";
import { RUN_LIMIT_MS } from "./run.ts";
import { isBroken, type RunReport } from "./run-report.ts";
import { SCENES } from "./scenes.ts";

/** Concurrent runs: most of a run is waiting. */
const SLOTS = 4;
/** Real time. Long, because a scene has hundreds of jobs. */
const SCENE_LIMIT_MS = 3_600_000;

/** A line of `--out`: a completed run, or a run that failed to execute. */
type Line = { commit: string; rate: number } & ({ report: RunReport } | { seed: number; failed: string });

const { values } = parseArgs({
	options: {
		runs: { type: "string", default: "20" },
		seed: { type: "string", default: "1" },
		slots: { type: "string", default: String(SLOTS) },
		rate: { type: "string", default: String(CLOCK_RATE) },
		processes: { type: "string", default: String(PROCESSES) },
		cuts: { type: "string", default: String(CUTS) },
		json: { type: "boolean", default: false },
		scene: { type: "string" },
		jobs: { type: "string" },
		verbose: { type: "boolean", default: false },
		out: { type: "string" },
		read: { type: "string", multiple: true },
	},
});
const reports: RunReport[] = [];
const failed: number[] = [];
if (values.read) readLines(values.read);
else await makeRuns();
reports.sort((a, b) => a.seed - b.seed);
process.exit(failed.length > 0 || reports.some(isBroken) ? 1 : 0);

async function makeRuns(): Promise<void> {
	const plans = plansOf();
	await import("../../scripts/build-agent.mjs");
	const file = path.resolve(import.meta.dirname, "../../dist/agent.mjs");
	const agent = { file, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
	const server = await startThrowawayPostgres();
	const startedMs = performance.now();
	const end = new AbortController();
	let isStopping = false;
	// The first stop signal starts no further run and reports the finished ones; the second also ends active runs.
	const stop = (): void => {
		plans.splice(0);
		if (isStopping) end.abort();
		isStopping = true;
	};
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
	const [commit, rate] = [commitOf(), Number(values.rate)];
	const write = (line: Line): void => {
		if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(line)}\n`);
	};
	await runAll(plans, {
		...{ workers: Number(values.slots), serverUrl: server.url, rate, agent, verbose: values.verbose },
		signal: end.signal,
		limitMs: values.scene === undefined ? RUN_LIMIT_MS : SCENE_LIMIT_MS,
		onReport: (report) => {
			reports.push(report);
			write({ commit, rate, report });
			const broken = [...report.unrest, ...Object.values(report.violations).flat()];
			if (broken.length > 0) process.stderr.write(`seed ${report.seed}: ${broken.join("; ")}\n`);
		},
		// Neither passed nor failed: the run itself could not be executed.
		onFailure: (seed, why) => {
			failed.push(seed);
			write({ commit, rate, seed, failed: why });
			process.stderr.write(`seed ${seed} could not be run: ${why}\n`);
		},
	});
	await server.stop();
	print(Math.round(performance.now() - startedMs));
}

function plansOf(): Plan[] {
	const first = Number(values.seed);
	if (values.scene === undefined)
		return Array.from({ length: Number(values.runs) }, (_, i) =>
			drawPlan(first + i, { processes: Number(values.processes), cuts: Number(values.cuts) }),
		);
	const scene = SCENES[values.scene];
	if (scene) return [scene.plan(Number(values.jobs ?? scene.jobs))];
	process.stderr.write(`There is no scene ${values.scene}; there are: ${Object.keys(SCENES).join(", ")}.\n`);
	process.exit(2);
}

/** Prints the table of previously recorded runs. */
function readLines(files: readonly string[]): void {
	for (const file of files) {
		for (const text of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
			const line = JSON.parse(text) as Line;
			if ("report" in line) reports.push(line.report);
			else failed.push(line.seed);
		}
	}
	print(null);
}

function print(tookMs: number | null): void {
	process.stdout.write(
		values.json ? `${JSON.stringify({ tookMs, failed, reports }, null, "\t")}\n` : renderReport(reports, tookMs, failed),
	);
}

function commitOf(): string {
	try {
		return execFileSync("git", ["describe", "--always", "--dirty"], { cwd: import.meta.dirname, encoding: "utf8" }).trim();
	} catch {
		return "unknown";
	}
}
