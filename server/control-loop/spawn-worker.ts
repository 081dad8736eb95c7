import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import type { Term } from "#server/services/decision/background/table.ts";
import type { BackgroundWorker } from "#server/services/decision/background/tend.ts";

/** The end of a worker's output before it failed. */
const STDERR_CHARS = 1_000;

/** Starts a process that works on a backtest; it ends with this one. */
export const spawnBacktest = (term: Term): BackgroundWorker => spawnWorker("backtest", term);

/** Starts a process that works on a plan study; it ends with this one. */
export const spawnStudy = (term: Term): BackgroundWorker => spawnWorker("plan-study", term);

/** Runs a program of server/bin at low priority. */
function spawnWorker(program: "backtest" | "plan-study", { id, startedAtMs }: Term): BackgroundWorker {
	const file = path.resolve(import.meta.dirname, `../bin/${program}.ts`);
	const child = spawn(process.execPath, [file, id, String(startedAtMs)], { stdio: ["pipe", "ignore", "pipe"] });
	let stderrTail = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		process.stderr.write(text);
		stderrTail = (stderrTail + text).slice(-STDERR_CHARS);
	});
	if (child.pid !== undefined) lowerPriority(child.pid);
	return {
		stop: () => void child.kill("SIGKILL"),
		ended: new Promise((resolve) => {
			child.on("error", (error) => resolve({ failure: `Its worker could not be started: ${error.message}` }));
			child.on("exit", (code) => {
				resolve({ failure: code === null || code === 0 ? null : `Its worker ended with exit code ${code}. ${stderrTail.trim()}` });
			});
		}),
	};
}

function lowerPriority(pid: number): void {
	try {
		os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
	} catch {
		// It has already ended, or this system does not allow it: then it runs at normal priority.
	}
}
