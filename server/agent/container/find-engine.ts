import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { aptInstall } from "../apt.ts";
import { pause } from "../wait.ts";
import { type ContainerEngine, ContainerError, callEngine } from "./call-engine.ts";

const execute = promisify(execFile);
/** How long a newly installed docker.io may take to respond. */
const START_MS = 30_000;
const LOOK_AGAIN_MS = 500;
const CALL_MS = 15_000;
/** A machine without a job may still be installing the engine when its job arrives. */
let installing: Promise<void> | null = null;

/**
 * Returns the container engine of a machine dedicated to one job: docker, else podman, else docker installed from the
 * distribution.
 * @throws ContainerError; the signal's reason when aborted
 */
export async function findEngine(options: { searchPath: string; signal: AbortSignal; log(text: string): void }): Promise<ContainerEngine> {
	const { searchPath, signal, log } = options;
	await installing?.catch(() => {});
	const problems: string[] = [];
	for (const kind of ["docker", "podman"] as const) {
		const program = await findProgram(kind, searchPath);
		if (program === null) continue;
		const engine = { program, kind };
		const problem = await whyNotReady(engine, signal);
		if (problem === null) return engine;
		problems.push(`${kind} does not respond (${problem})`);
	}
	// An installed but broken engine was set up by someone; installing a second one would hide the problem.
	if (problems.length > 0) throw new ContainerError("start", `the job has an image, but on this instance ${problems.join(", and ")}`);
	log("no container engine found; installing docker.io with apt-get");
	try {
		installing = aptInstall(["docker.io"], signal).finally(() => {
			installing = null;
		});
		await installing;
	} catch (error) {
		signal.throwIfAborted();
		const why = (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1);
		throw new ContainerError(
			"start",
			`the job has an image, but this instance has neither docker nor podman, and docker could not be installed (${why}); use a machine image that includes one`,
		);
	}
	const program = await findProgram("docker", searchPath);
	const engine: ContainerEngine | null = program === null ? null : { program, kind: "docker" };
	const problem = engine === null ? "not found in PATH" : await whyNotReady(engine, signal);
	if (engine !== null && problem === null) return engine;
	throw new ContainerError("start", `docker was installed but does not respond (${problem}); use a machine image that includes it`);
}

export async function findProgram(name: string, searchPath: string): Promise<string | null> {
	for (const folder of searchPath.split(path.delimiter).filter(path.isAbsolute)) {
		const file = path.join(folder, name);
		const found = await access(file, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (found) return file;
	}
	return null;
}

/** Returns null once the engine responds. If the image has disabled Docker's daemon, starts it and waits. */
async function whyNotReady(engine: ContainerEngine, signal: AbortSignal): Promise<string | null> {
	const ask = () => callEngine(engine, ["ps", "--quiet"], { signal, timeoutMs: CALL_MS });
	let answer = await ask();
	if (answer.ok || engine.kind === "podman") return answer.ok ? null : answer.complaint;
	const started = await execute("systemctl", ["start", "docker"], { signal }).then(
		() => true,
		() => false,
	);
	signal.throwIfAborted();
	const until = performance.now() + START_MS;
	while (started && !answer.ok && performance.now() < until && (await pause(LOOK_AGAIN_MS, signal))) answer = await ask();
	signal.throwIfAborted();
	return answer.ok ? null : answer.complaint;
}
