// The steps of `npm test`, cheapest first, up to the first stage with a failure. The last line of output is the total count.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { buildIfChanged, needsBuild } from "./build.mjs";
import { CHROMIUM_ARGS, findChromium } from "./chromium.mjs";
import { installServer, missingServers, whyNotInstall } from "./debian.mjs";
import { readJson } from "./home.mjs";
import { install, installNeeded } from "./install.mjs";
import { projectNode, projectPath, root } from "./node.mjs";
import { describeError, PlainError } from "./plain-error.mjs";
import { freePort } from "./ports.mjs";
import { createProgress } from "./progress.mjs";
import { runToEnd } from "./run.mjs";
import { readPlaywright, readVitest } from "./test-reports.mjs";

const REPORTS = path.join(root, "test-results/reports");
const BIN = path.join(root, "node_modules");
/** Shows nearly all of a failed check's output, because its first lines are the most useful. */
const OUTPUT_LINES = 1_000;
const NONE = { passed: 0, failed: 0, skipped: 0 };

/** @typedef {import("./test-reports.mjs").Count} Count */

/**
 * The steps of a stage run in parallel; the next stage starts when all of them pass. Browser tests wait more than they
 * compute, so they can run alongside others.
 * @type {{name: string, stage: number, label: string, run: (context: Context) => Promise<Count | void>}[]}
 */
const STEPS = [
	{ name: "lint", stage: 1, label: "Lint and format (Biome), and the words standard", run: lint },
	{ name: "imports", stage: 1, label: "Import rules, and their self-test", run: importRules },
	{ name: "types", stage: 1, label: "Types (tsc)", run: ({ tool }) => tool("typescript/bin/tsc", "-p", ".", "--noEmit") },
	{ name: "knip", stage: 1, label: "Dead files, exports and dependencies (knip)", run: ({ tool }) => tool("knip/bin/knip.js") },
	{ name: "unit", stage: 2, label: "Unit, property, contract, simulation and database tests (Vitest)", run: vitest },
	{ name: "e2e", stage: 2, label: "Browser tests (Playwright)", run: playwright },
];
const STAGES = [1, 2];

/**
 * @typedef {object} Context
 * @property {(script: string, ...args: string[]) => Promise<void>} tool runs a program of node_modules
 * @property {(args: string[], env?: NodeJS.ProcessEnv, stopSignal?: NodeJS.Signals) => Promise<string>} node
 * @property {string[]} extra arguments for the tool of the only requested step
 * @property {AbortSignal} signal
 * @property {(detail: string) => void} update
 * @property {(text: string) => void} line prints between the lines of the running step
 */

/** @param {string[]} args names of steps; "--" and everything after it goes to the only named step */
export async function main(args) {
	const names = STEPS.map((step) => step.name);
	const asked = args.filter((arg, index) => names.includes(arg) && args.slice(0, index).every((before) => names.includes(before)));
	const extra = args.slice(asked.length).filter((arg) => arg !== "--");
	if (extra.length > 0 && asked.length !== 1) {
		console.error(`There is no step "${extra[0]}". Use one of: ${names.join(", ")}.`);
		process.exitCode = 2;
		return;
	}
	const progress = createProgress();
	const aborting = new AbortController();
	for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(name, () => aborting.abort(new Error(`stopped by ${name}`)));
	const total = { ...NONE };
	const failures = [];
	try {
		await prepare(progress, aborting.signal);
		const runs = (name) => asked.length === 0 || asked.includes(name);
		// Partial runs are frequent and rarely need real servers, so prepare them only for full runs or when a server is named.
		if (runs("unit") && (extra.length === 0 || extra.some((arg) => /slurm/i.test(arg)))) await prepareServers(progress, aborting.signal);
		for (const stage of STAGES) {
			const steps = STEPS.filter((step) => step.stage === stage && runs(step.name));
			const results = await Promise.allSettled(
				steps.map((step) => progress.run(step.label, (update) => step.run(makeContext(aborting.signal, extra, update, progress.line)))),
			);
			for (const result of results) {
				report(progress, total, result);
				failures.push(...(result.reason?.failures ?? []));
			}
			if (total.failed > 0) break;
		}
	} catch (error) {
		report(progress, total, { status: "rejected", reason: error });
	}
	// Repeat the failures at the end, because the output of one step can exceed what is kept of a run.
	for (const failure of failures) progress.line(`✗ ${failure}`);
	if (total.skipped > 0) progress.line(`(${total.skipped} skipped)`);
	progress.line(`${total.passed} passed, ${total.failed} failed`);
	if (total.failed > 0) process.exitCode = 1;
}

function report(progress, total, { status, value, reason }) {
	if (status === "fulfilled") return add(total, value);
	add(total, reason.count ?? { ...NONE, failed: 1 });
	progress.line(`\n${describeError(reason)}`);
}

function add(total, count = NONE) {
	for (const key of Object.keys(total)) total[key] += count[key];
}

async function prepare(progress, signal) {
	const missing = installNeeded();
	if (missing) await progress.run(`Installing packages (${missing})`, (update) => install({ signal, update }));
	rmSync(REPORTS, { recursive: true, force: true });
	mkdirSync(REPORTS, { recursive: true });
	for (const name of [
		"SPILLWAY_HOME",
		"SPILLWAY_PORT",
		"SPILLWAY_URL",
		"SPILLWAY_DEMO",
		"DATABASE_URL",
		"SPILLWAY_AWS_ENDPOINT",
		"SPILLWAY_AZURE_ENDPOINT",
		"SPILLWAY_GCP_ENDPOINT",
	])
		delete process.env[name];
}

/** Real servers that some tests need. Without a server, its tests are skipped and report what is missing. */
async function prepareServers(progress, signal) {
	for (const name of missingServers()) {
		const install = (update) => installServer(name, { signal, update });
		const problem = whyNotInstall() ?? (await progress.run(`Installing ${name} from Debian's packages, for its tests`, install));
		if (problem) progress.line(`The tests that want a real ${name} are left out: ${problem}.`);
	}
}

function makeContext(signal, extra, update, line) {
	const base = { ...process.env, PATH: projectPath(), NEXT_TELEMETRY_DISABLED: "1" };
	const node = (args, env = {}, stopSignal = undefined) =>
		runToEnd([projectNode(), ...args], {
			env: { ...base, ...env },
			signal,
			stopSignal,
			onLine: update,
			tailLines: OUTPUT_LINES,
			what: "This step failed",
			todo: "read the lines above.",
		});
	const tool = async (script, ...args) => {
		await node([path.join(BIN, script), ...args, ...extra]);
	};
	return { tool, node, extra, signal, update, line };
}

async function lint({ tool, node }) {
	await tool("@biomejs/biome/bin/biome", "check", "--error-on-warnings", "--max-diagnostics=100", ".");
	await node(["scripts/words.mjs", "--check"]);
}

async function importRules({ node }) {
	await node(["scripts/check-imports.mjs"]);
	await node(["scripts/check-imports.mjs", "--self-test"]);
}

async function vitest({ node, extra, signal }) {
	await buildIfChanged("agent", { signal });
	const report = path.join(REPORTS, "vitest.json");
	const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
	const run = node([path.join(BIN, "vitest/vitest.mjs"), "run", ...reporters, ...extra]);
	return await counted("Vitest", report, run, (json) => readVitest(json, root));
}

async function playwright({ node, extra, signal, update }) {
	if (needsBuild("web")) await buildIfChanged("web", { signal, onLine: update });
	const chromium = findChromium(projectNode());
	const home = mkdtempSync(path.join(os.tmpdir(), "spillway-e2e-"));
	// Under root, PostgreSQL runs as another user, which needs access to the folder.
	chmodSync(home, 0o711);
	const report = path.join(REPORTS, "playwright.json");
	const env = {
		SPILLWAY_HOME: home,
		SPILLWAY_PORT: String(await freePort()),
		SPILLWAY_CHROMIUM: chromium.executable,
		SPILLWAY_CHROMIUM_ARGS: CHROMIUM_ARGS.join(" "),
		PLAYWRIGHT_JSON_OUTPUT_FILE: report,
		...(chromium.libraries ? { LD_LIBRARY_PATH: chromium.libraries } : {}),
	};
	try {
		// Playwright stops the product only after SIGINT.
		const run = node([path.join(BIN, "@playwright/test/cli.js"), "test", "--reporter=list,json", ...extra], env, "SIGINT");
		return await counted("Playwright", report, run, readPlaywright);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

/** Counts from the tool's report. Zero tests is a failure, because a run without tests proves nothing. */
async function counted(tool, report, run, read) {
	const problem = await run.then(
		() => undefined,
		(error) => error,
	);
	const json = readJson(report);
	const { count, failures } = json ? read(json) : { count: { ...NONE }, failures: [] };
	if (problem) throw Object.assign(problem, { count: { ...count, failed: Math.max(1, count.failed) }, failures });
	if (count.passed === 0)
		throw new PlainError(`${tool} ran no test at all.`, "see that the tests are where its configuration looks for them.", {
			detail: JSON.stringify(count),
		});
	return count;
}
