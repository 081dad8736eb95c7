// One release in its own folder: its files, packages and builds, and its programs on a shared database.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { projectNode, projectPath, root } from "../lib/node.mjs";
import { PlainError } from "../lib/plain-error.mjs";
import { freePort, HOST } from "../lib/ports.mjs";
import { runToEnd } from "../lib/run.mjs";

const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 30_000;
const LOOK_MS = 100;

/**
 * Checks out a commit of this repository into `folder`, and builds it with this clone's packages if they are the same.
 * @param {string} ref
 * @param {string} folder
 * @param {AbortSignal} signal ends the build
 */
export async function checkOut(ref, folder, signal) {
	mkdirSync(folder, { recursive: true });
	const archive = spawnSync("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", ref, folder], { cwd: root, encoding: "utf8" });
	if (archive.status !== 0 || !existsSync(path.join(folder, "package.json")))
		throw new PlainError(
			`The release ${ref} could not be read: ${archive.stderr.trim()}`,
			"name a commit or tag of this clone, such as HEAD~10.",
		);
	const isSame = (file) => readFileSync(path.join(root, file), "utf8") === readFileSync(path.join(folder, file), "utf8");
	// Hard links where the file system allows them: the packages are about a gigabyte.
	const links = isSame("package-lock.json") && spawnSync("cp", ["-al", path.join(root, "node_modules"), folder]).status === 0;
	const todo = "read the lines above.";
	if (!links) await runToEnd(["npm", "ci"], { cwd: folder, signal, what: `The packages of ${ref} could not be installed`, todo });
	const env = { ...process.env, PATH: projectPath(folder), NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
	for (const command of [["scripts/build-agent.mjs"], ["node_modules/next/dist/bin/next", "build"]])
		await runToEnd([projectNode(folder), ...command], { cwd: folder, env, signal, what: `${ref} could not be built`, todo });
}

export class Release {
	/** @param {{name: string, folder: string, env: NodeJS.ProcessEnv}} options */
	constructor({ name, folder, env }) {
		Object.assign(this, { name, folder, env: { ...process.env, ...env, PATH: projectPath(folder), NODE_ENV: "production" } });
	}

	migrate() {
		return this.command({}, "server/bin/migrate.ts");
	}

	/** Runs one of its programs to the end. @throws {PlainError} with its output if it fails */
	command(env, ...args) {
		const what = `${this.name}: ${args.slice(0, 3).join(" ")} failed`;
		const options = { cwd: this.folder, env: { ...this.env, ...env }, what, todo: "read the lines above." };
		return runToEnd([projectNode(this.folder), ...args], options);
	}

	/**
	 * Starts a program and waits until it is ready.
	 * @param {"web" | "scheduler"} program
	 * @returns {Promise<{url: string, isOver(): boolean, output(): string, stop(): Promise<void>}>}
	 * @throws {PlainError} with the end of its output if it exits first or is not ready in time
	 */
	async start(program) {
		const port = await freePort();
		const url = `http://${HOST}:${port}`;
		const ports = program === "web" ? { SPILLWAY_PORT: String(port), SPILLWAY_URL: url } : { SPILLWAY_SCHEDULER_PORT: String(port) };
		const child = spawn(projectNode(this.folder), [`server/bin/${program}.ts`], {
			...{ cwd: this.folder, env: { ...this.env, ...ports }, stdio: ["ignore", "pipe", "pipe"] },
		});
		// Whatever ends this process ends its programs.
		process.once("exit", () => child.kill("SIGKILL"));
		let output = "";
		for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output = (output + chunk).slice(-8_000)));
		const gone = new Promise((resolve) => child.once("close", resolve));
		const isOver = () => child.exitCode !== null || child.signalCode !== null;
		const isReady = () =>
			fetch(`${url}/readyz`).then(
				(answer) => answer.ok,
				() => false,
			);
		for (const end = performance.now() + READY_LIMIT_MS; !(await isReady()); await sleep(LOOK_MS)) {
			if (!isOver() && performance.now() < end) continue;
			child.kill("SIGKILL");
			throw new PlainError(`${this.name}: ${program} did not become ready.`, "read the lines above.", { detail: output });
		}
		const stop = async () => {
			child.kill("SIGTERM");
			const killing = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
			await gone;
			clearTimeout(killing);
		};
		return { url, isOver, output: () => output, stop };
	}
}
