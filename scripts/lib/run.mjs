// Runs a program to completion with its output in a log file, and prints its last lines when it fails.
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { root } from "./node.mjs";
import { PlainError } from "./plain-error.mjs";

/** Number of output lines shown for a failed program. */
const TAIL_LINES = 40;

/**
 * @param {string[]} command program and arguments
 * @param {{env?: NodeJS.ProcessEnv, cwd?: string, log?: string, what: string, todo: string, signal?: AbortSignal,
 *   onLine?: (line: string) => void, tailLines?: number, stopSignal?: NodeJS.Signals}} options `what` and `todo` make up the error; an
 *   abort sends `stopSignal` to the program and everything it started
 * @returns {Promise<string>} the last lines of its output
 * @throws {PlainError} when it cannot start or exits with a nonzero code
 */
export function runToEnd([program, ...args], options) {
	const { env = process.env, cwd = root, log, what, todo, signal, onLine, tailLines = TAIL_LINES, stopSignal = "SIGTERM" } = options;
	if (log) mkdirSync(path.dirname(log), { recursive: true });
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
		const tail = [];
		const take = lineReader((line) => {
			tail.push(line);
			if (tail.length > tailLines) tail.shift();
			onLine?.(line);
		});
		for (const stream of [child.stdout, child.stderr]) {
			stream.on("data", (chunk) => {
				if (log) appendFileSync(log, chunk);
				take(String(chunk));
			});
		}
		const stop = () => killGroup(child.pid, stopSignal);
		signal?.addEventListener("abort", stop, { once: true });
		const fail = (why, cause) => {
			const where = log ? ` The whole output is in ${log}.` : "";
			reject(new PlainError(`${what} (${why}).${where}`, todo, { cause, detail: tail.join("\n") }));
		};
		child.once("error", (error) => fail(error.message, error));
		child.once("close", (code, killedBy) => {
			signal?.removeEventListener("abort", stop);
			if (signal?.aborted) reject(signal.reason);
			else if (code === 0) resolve(tail.join("\n"));
			else fail(code === null ? `ended by ${killedBy}` : `exit code ${code}`);
		});
	});
}

/** Calls `onLine` for each complete line in the given text chunks, without colors. */
export function lineReader(onLine) {
	let rest = "";
	return (text) => {
		const lines = (rest + text).split(/\r?\n/);
		rest = lines.pop() ?? "";
		// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors start with the escape character.
		for (const line of lines) onLine(line.replace(/\x1b\[[0-9;]*[A-Za-z]/g, ""));
	};
}

/** Signals a process group. A group that no longer exists is not an error. */
export function killGroup(pid, signal) {
	if (!pid) return;
	try {
		process.kill(-pid, signal);
	} catch (error) {
		if (error.code !== "ESRCH" && error.code !== "EPERM") throw error;
	}
}
