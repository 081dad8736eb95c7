// A fresh demo in a temporary folder: started, used by REST and the command line, its scheduler killed, and stopped.
import { execFile, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { projectNode, root } from "../lib/node.mjs";
import { PlainError } from "../lib/plain-error.mjs";
import { freePort, HOST } from "../lib/ports.mjs";
import { commandLine, processesWithEnv } from "../lib/process-identity.mjs";

const LOOK_MS = 100;
/** A start may include a build. */
const READY_LIMIT_MS = 1_200_000;
const OUTPUT_BYTES_MAX = 64 * 2 ** 20;

const settings = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SPILLWAY_.*|DATABASE_URL)$/.test(name)));

export class Demo {
	kills = 0;
	/** Of the platform engineer. */
	token = "";
	#output = "";

	constructor(port, mode) {
		this.folder = mkdtempSync(path.join(os.tmpdir(), "spillway-walk-"));
		chmodSync(this.folder, 0o711);
		this.home = path.join(this.folder, "home");
		this.url = `http://${HOST}:${port}`;
		const env = { ...settings, SPILLWAY_HOME: this.home, SPILLWAY_PORT: String(port), SPILLWAY_DEMO: mode };
		this.child = spawn(projectNode(), ["scripts/start.mjs"], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
		for (const stream of [this.child.stdout, this.child.stderr])
			stream.on("data", (chunk) => {
				this.#output = (this.#output + chunk).slice(-4_000);
			});
		this.ended = new Promise((resolve) => this.child.once("close", resolve));
		for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void this.stop().finally(() => process.exit(1)));
	}

	/** @param {string} [mode] a value of SPILLWAY_DEMO */
	static async start(mode = "small") {
		const demo = new Demo(await freePort(), mode);
		try {
			await demo.until("the demo is ready", () => existsSync(path.join(demo.home, "token")) && demo.#isReady(), READY_LIMIT_MS);
			demo.token = readFileSync(path.join(demo.home, "token"), "utf8").trim();
			return demo;
		} catch (error) {
			await demo.stop();
			throw error;
		}
	}

	#isReady() {
		return fetch(`${this.url}/readyz`).then(
			({ ok }) => ok,
			() => false,
		);
	}

	/** @param {string} at path of REST */
	async get(at) {
		const answer = await fetch(`${this.url}/api/v1${at}`, { headers: { authorization: `Bearer ${this.token}` } });
		const text = await answer.text();
		if (!answer.ok) throw new PlainError(`GET ${at} failed with ${answer.status}.`, "read the detail above.", { detail: text });
		return JSON.parse(text);
	}

	/** Submits a job file as an object. @returns its id */
	async submit(job) {
		const file = path.join(this.folder, `${job.metadata.name}.json`);
		writeFileSync(file, JSON.stringify(job));
		return (await this.cli("submit", "--json", "-f", file)).id;
	}

	/** Runs the command line. @returns its JSON, or its text */
	async cli(...args) {
		const env = { ...settings, SPILLWAY_URL: this.url, SPILLWAY_TOKEN: this.token };
		const options = { cwd: this.folder, env, maxBuffer: OUTPUT_BYTES_MAX };
		const { stdout } = await promisify(execFile)(projectNode(), [path.join(root, "cli/spillway.mjs"), ...args], options);
		return args.includes("--json") ? JSON.parse(stdout) : stdout;
	}

	/** Kills the scheduler and nothing else. `npm start` starts it again. */
	async killScheduler() {
		const pid = await this.until("a scheduler runs", () => this.#schedulers()[0]);
		process.kill(pid, "SIGKILL");
		this.kills++;
		await this.until("the killed scheduler has ended", () => !this.#schedulers().includes(pid));
	}

	#schedulers() {
		return processesWithEnv("SPILLWAY_HOME", this.home).filter((pid) => commandLine(pid).includes("server/bin/scheduler.ts"));
	}

	/** Polls until the condition has a value that is neither undefined nor false. @throws {PlainError} after `limitMs` */
	async until(what, read, limitMs = 300_000) {
		const giveUp = performance.now() + limitMs;
		while (performance.now() < giveUp) {
			const value = await read();
			if (value !== undefined && value !== false) return value;
			if (this.child.exitCode !== null) throw new PlainError("The demo ended.", "read the lines above.", { detail: this.#output });
			await sleep(LOOK_MS);
		}
		throw new PlainError(`Waited ${limitMs / 1000} s without success until ${what}.`, `read the logs in ${this.home}/log.`, {
			detail: this.#output,
		});
	}

	/** @param {{keep?: boolean}} [options] `keep`: leave the folder, to read its logs */
	async stop({ keep = false } = {}) {
		if (this.child.exitCode === null) this.child.kill("SIGINT");
		await this.ended;
		if (!keep) rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
	}
}
