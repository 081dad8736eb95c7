// `npm run house`: metrics of the code that anyone can check. `-- --list` names each finding; `-- --timed` also runs `npm test`
// and two starts in a fresh clone and prints their seconds.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileCircles, folderLoops, importGraph } from "./house/graph.mjs";
import { foreignWrites } from "./house/writers.mjs";
import { readJson } from "./lib/home.mjs";
import { projectNode, root } from "./lib/node.mjs";
import { freePort } from "./lib/ports.mjs";
import { checkWords } from "./writing/check.mjs";

/** The commit before the work on the house began, and its lines by the rule of `linesOfCode`. */
const BEFORE = { commit: "1f11b71", lines: 152_693, files: 1_907 };
/** One existing example of each kind: the files that name it are those that another of its kind would touch. */
const EXAMPLES = [
	["policy field (budgets: egressGiB)", "egressGiB"],
	["operation (approvals.list)", "listApprovals"],
	["screen (/settings/agreements)", "settings/agreements"],
];
const list = process.argv.includes("--list");

const graph = importGraph(root);
report(
	"file circles, types included",
	fileCircles(graph).map((loop) => loop.join(" ↔ ")),
);
report(
	"loops between folders of a room",
	folderLoops(graph).map((loop) => loop.join(" ↔ ")),
);
report(
	"table writes outside services",
	foreignWrites(root).map(({ file, line, table }) => `${file}:${line} ${table}`),
);
report("operations without a response schema", await operationsWithoutSchema());
const { findings } = checkWords(root, [], readJson(path.join(root, "scripts/writing/allowed.json")));
report(
	"words that docs/writing.md advises against",
	findings.map(({ file, line, word }) => `${file}:${line} ${word}`),
);

const { lines, files } = linesOfCode();
print(
	"lines of code without tests",
	`${lines.toLocaleString("en")} in ${files.toLocaleString("en")} files (${BEFORE.lines.toLocaleString("en")} in ${BEFORE.files.toLocaleString("en")} at ${BEFORE.commit})`,
);
for (const [what, name] of EXAMPLES) {
	const named = filesNaming(name);
	report(`files that name one ${what}, tests included`, named);
}
for (const line of firstLoads()) print("first load", line);
if (process.argv.includes("--timed")) await timed();

function report(what, found) {
	print(what, String(found.length));
	if (list) for (const line of found) console.log(`    ${line}`);
}

function print(what, value) {
	console.log(`${what.padEnd(62)} ${value}`);
}

/** Every .ts, .tsx and .mjs file but tests, their helpers (testing/), the drivers' contract suites and e2e/. */
function linesOfCode() {
	const sources = tracked().filter(
		(file) => /\.(ts|tsx|mjs)$/.test(file) && !/\.(test|spec)\.|\/testing\/|^server\/providers\/contract\/|^e2e\//.test(file),
	);
	return {
		files: sources.length,
		lines: sources.reduce((sum, file) => sum + readFileSync(path.join(root, file), "utf8").split("\n").length - 1, 0),
	};
}

function filesNaming(name) {
	return tracked().filter((file) => /\.(ts|tsx|mjs)$/.test(file) && readFileSync(path.join(root, file), "utf8").includes(name));
}

function tracked() {
	const listed = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
	return listed.split("\n").filter((file) => file !== "" && existsSync(path.join(root, file)));
}

async function operationsWithoutSchema() {
	const program = 'import("#server/api/rest/openapi.ts").then(({ openApi }) => console.log(JSON.stringify(openApi())))';
	const text = execFileSync(projectNode(), ["--input-type=module", "-e", program], {
		cwd: root,
		encoding: "utf8",
		maxBuffer: 64 * 1024 * 1024,
	});
	const { paths } = JSON.parse(text);
	return Object.entries(paths).flatMap(([at, operations]) =>
		Object.entries(operations)
			.filter(([, { responses = {} }]) => !hasSchema(responses))
			.map(([method]) => `${method.toUpperCase()} ${at}`),
	);
}

/** A success without a body (204) needs no schema. */
function hasSchema(responses) {
	const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
	return (
		successes.length > 0 &&
		successes.every(([status, { content }]) => status === "204" || Object.values(content ?? {}).some(({ schema }) => schema))
	);
}

/** Measured by the browser tests (e2e/first-load.spec.ts) of the last `npm test`. */
function firstLoads() {
	const text = JSON.stringify(readJson(path.join(root, "test-results/reports/playwright.json")) ?? {});
	const found = [...text.matchAll(/"type":"first-load JavaScript","description":"([^"]+)"/g)].map(([, description]) => description);
	return found.length > 0 ? [...new Set(found)] : ["not measured yet: run npm test -- e2e"];
}

async function timed() {
	const clone = mkdtempSync(path.join(os.tmpdir(), "spillway-house-"));
	try {
		execFileSync("git", ["clone", "--quiet", root, clone]);
		for (const what of ["first start in a fresh clone", "later start"]) print(`seconds: ${what}`, await secondsToStart(clone));
		print("seconds: npm test", await secondsOf(clone, ["test"]));
	} finally {
		rmSync(clone, { recursive: true, force: true });
	}
}

async function secondsOf(cwd, args) {
	const startedAt = performance.now();
	const child = spawn("npm", args, { cwd, stdio: "ignore" });
	const code = await new Promise((resolve) => child.once("exit", resolve));
	return `${((performance.now() - startedAt) / 1_000).toFixed(1)}${code === 0 ? "" : ` (failed with ${code})`}`;
}

async function secondsToStart(cwd) {
	const startedAt = performance.now();
	const env = { ...process.env, SPILLWAY_PORT: String(await freePort()), SPILLWAY_HOME: path.join(cwd, ".spillway") };
	const child = spawn("npm", ["start"], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
	const ended = new Promise((resolve) => child.once("exit", resolve));
	const isReady = await Promise.race([ended.then(() => false), seen(child.stdout, "is ready after")]);
	const seconds = (performance.now() - startedAt) / 1_000;
	child.kill("SIGTERM");
	await ended;
	return isReady ? seconds.toFixed(1) : "it did not start";
}

function seen(stream, words) {
	let text = "";
	return new Promise((resolve) => {
		stream.on("data", (chunk) => {
			text += chunk;
			if (text.includes(words)) resolve(true);
		});
	});
}
