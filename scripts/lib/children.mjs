// Keeps the long-running programs running: restarts them after a crash, keeps their logs, stops them.
import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { isForPeople, openLog } from "./log-file.mjs";
import { root } from "./node.mjs";
import { commandLine, processesWithEnv, processIdentity } from "./process-identity.mjs";
import { killGroup } from "./run.mjs";

const LOOK_MS = 250;
const PAUSE_MS_MIN = 500;
const PAUSE_MS_MAX = 30_000;
/** A program that has run this long is restarted immediately. */
const STEADY_MS = 60_000;
const SHOWN_LINES_MAX = 20;
const SHOWN_WINDOW_MS = 10_000;

/**
 * @typedef {object} Child
 * @property {string} name
 * @property {string} log
 * @property {() => number} crashes number of times it exited by itself
 * @property {() => void} restart ends it and starts it again; not counted as a crash
 * @property {(limitMs: number) => Promise<void>} stop asks it to stop, and kills it with everything it started after the limit
 */

/**
 * @param {{name: string, command: string[], env: NodeJS.ProcessEnv, logFolder: string, say: (line: string) => void}} options
 *   `say` receives crashes and the errors in the program's log
 * @returns {Child}
 */
export function keepRunning({ name, command: [program, ...args], env, logFolder, say }) {
	const log = path.join(logFolder, `${name}.log`);
	const file = openLog(log);
	const show = throttled((line) => say(`[${name}] ${line}`), `[${name}] more is in ${log}`, say);
	const stopping = new AbortController();
	let current;
	let crashes = 0;
	let isRestarting = false;
	const look = () => {
		try {
			file.look((line) => isForPeople(line) && show(line));
		} catch {
			// A log that cannot be read or moved must not end the programs; the next check retries.
		}
	};
	const looking = setInterval(look, LOOK_MS);

	async function keep() {
		let pauseMs = PAUSE_MS_MIN;
		while (!stopping.signal.aborted) {
			const startedAt = performance.now();
			const ending = await runOnce();
			if (stopping.signal.aborted) return;
			if (isRestarting) {
				isRestarting = false;
				continue;
			}
			crashes++;
			if (performance.now() - startedAt > STEADY_MS) pauseMs = PAUSE_MS_MIN;
			say(`The ${name} ended by itself (${ending}); it starts again in ${pauseMs / 1000} s. Its log: ${log}`);
			await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
			pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX);
		}
	}

	function runOnce() {
		return new Promise((resolve) => {
			// Its own process group: Ctrl-C in the terminal reaches only the start script, which stops everything in order. It writes its
			// log itself, because a pipe to this process would break when this process is killed.
			const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", file.fd, file.fd], detached: true });
			current = child;
			child.once("error", (error) => resolve(error.message));
			child.once("exit", (code, signal) => {
				killGroup(child.pid, "SIGKILL");
				look();
				resolve(code === null ? `by ${signal}` : `exit code ${code}`);
			});
		});
	}

	const kept = keep();
	return {
		name,
		log,
		crashes: () => crashes,
		restart() {
			if (!current || current.exitCode !== null || current.signalCode !== null) return;
			isRestarting = true;
			current.kill("SIGTERM");
		},
		async stop(limitMs) {
			stopping.abort();
			current?.kill("SIGTERM");
			const timer = setTimeout(() => killGroup(current?.pid, "SIGKILL"), limitMs);
			await kept;
			clearTimeout(timer);
			clearInterval(looking);
			file.close();
		},
	};
}

/** Passes a burst of lines through and then reports once that there are more. */
function throttled(pass, more, say) {
	let windowStart = Number.NEGATIVE_INFINITY;
	let shown = 0;
	return (line) => {
		const now = performance.now();
		if (now - windowStart > SHOWN_WINDOW_MS) {
			windowStart = now;
			shown = 0;
		}
		shown++;
		if (shown <= SHOWN_LINES_MAX) pass(line);
		else if (shown === SHOWN_LINES_MAX + 1) say(more);
	};
}

const LEFTOVER_LIMIT_MS = 10_000;
/** An emulated cloud that gets SIGTERM ends its machines. After SIGKILL they keep running, and its next start adopts them. */
const CLOUD = /server\/bin\/(aws|azure|gcp)-emulator\.ts/;

/**
 * Ends the remaining programs of an instance after its start script was killed. The scheduler is first, because it stops the jobs.
 * @param {string} instance the value of SPILLWAY_INSTANCE that they inherited
 * @returns {Promise<number>} the number of processes ended
 */
export async function endLeftovers(instance) {
	const found = processesWithEnv("SPILLWAY_INSTANCE", instance);
	const first = found.filter((pid) => commandLine(pid).includes("server/bin/scheduler.ts"));
	await endAll(first);
	await endAll(processesWithEnv("SPILLWAY_INSTANCE", instance));
	return found.length;
}

async function endAll(pids) {
	const identities = new Map(pids.map((pid) => [pid, processIdentity(pid)]));
	const living = () => [...identities].filter(([pid, identity]) => identity && processIdentity(pid) === identity).map(([pid]) => pid);
	const waitForEnd = async () => {
		const until = performance.now() + LEFTOVER_LIMIT_MS;
		while (living().length > 0 && performance.now() < until) await sleep(50);
	};
	for (const pid of living()) signalOne(pid, CLOUD.test(commandLine(pid)) ? "SIGKILL" : "SIGTERM");
	await waitForEnd();
	for (const pid of living()) signalOne(pid, "SIGKILL");
	// A killed program holds its port until its last thread has ended.
	await waitForEnd();
}

function signalOne(pid, signal) {
	try {
		process.kill(pid, signal);
	} catch (error) {
		if (error.code !== "ESRCH" && error.code !== "EPERM") throw error;
	}
}
