import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { lowerPriority } from "#server/services/decision/background/priority.ts";
import type { Term } from "#server/services/decision/background/table.ts";
import type { BackgroundWorker } from "#server/services/decision/background/tend.ts";
import type { WorkerProcess } from "./backtest-workers.ts";

/** The end of a worker's output before it failed. */
const STDERR_CHARS = 1_000;

/** Starts a process that works on a plan study at low priority; it ends with this one. */
export function spawnStudy({ id, startedAtMs }: Term): BackgroundWorker {
	const child = spawn(process.execPath, [programFile("plan-study"), id, String(startedAtMs)], { stdio: ["pipe", "ignore", "pipe"] });
	if (child.pid !== undefined) lowerPriority(child.pid);
	return { stop: () => void child.kill("SIGKILL"), ended: endOf(child) };
}

/** Starts a process that works on backtests, one after another; it ends with this one. */
export function startBacktestProcess(): WorkerProcess {
	const child = spawn(process.execPath, [programFile("backtest")], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
	const ended = endOf(child);
	return {
		ended,
		kill: () => void child.kill("SIGKILL"),
		run: (term) => {
			const over = new Promise<{ failure: null }>((resolve) => child.once("message", () => resolve({ failure: null })));
			// A failure is reported when the process ends.
			child.send(term, () => {});
			return Promise.race([over, ended]);
		},
	};
}

function programFile(name: "backtest" | "plan-study"): string {
	return path.resolve(import.meta.dirname, `../bin/${name}.ts`);
}

/** Resolves when the process has ended: with `failure` when it failed by itself. */
function endOf(child: ChildProcess): Promise<{ failure: string | null }> {
	let stderrTail = "";
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		process.stderr.write(text);
		stderrTail = (stderrTail + text).slice(-STDERR_CHARS);
	});
	return new Promise((resolve) => {
		child.on("error", (error) => resolve({ failure: `Its worker could not be started: ${error.message}` }));
		child.on("exit", (code) => {
			resolve({ failure: code === null || code === 0 ? null : `Its worker ended with exit code ${code}. ${stderrTail.trim()}` });
		});
	});
}
