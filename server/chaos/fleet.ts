import { type ChildProcess, fork } from "node:child_process";
import { rmSync } from "node:fs";
import { endProcessesOf } from "./guest-processes.ts";
import type { Plan } from "./plan.ts";
import type { RunReport } from "./run-report.ts";
import type { Order, Word } from "./worker.ts";

/** A run past its own limit counts as hung after this extra time to report it. */
const LAST_WORD_MS = 60_000;
const WORKER = new URL("./worker.ts", import.meta.url);

export interface FleetOptions extends Omit<Order, "plan"> {
	workers: number;
	/** When aborted, active runs end immediately with everything on their machines, and no further run starts. */
	signal?: AbortSignal;
	/** Called when a run ends. */
	onReport(report: RunReport): void;
	/** Called for a run that failed to execute or hung. */
	onFailure(seed: number, why: string): void;
}

/** Runs these plans, several in parallel, with each worker in its own process. The list may be emptied meanwhile. */
export async function runAll(plans: Plan[], options: FleetOptions): Promise<void> {
	const work = async (): Promise<void> => {
		let worker: ChildProcess | null = null;
		for (let plan = plans.shift(); plan !== undefined && !options.signal?.aborted; plan = plans.shift()) {
			worker ??= fork(WORKER, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
			if (!(await runOne(worker, plan, options))) worker = null;
		}
		worker?.disconnect();
	};
	await Promise.all(Array.from({ length: Math.min(options.workers, plans.length) }, work));
}

/** Returns whether the worker can execute another run. */
function runOne(worker: ChildProcess, plan: Plan, options: FleetOptions): Promise<boolean> {
	const { workers: _, onReport, onFailure, signal, ...order } = options;
	let at = { stage: "a database", folder: "" };
	return new Promise((resolve) => {
		const finish = (goesOn: boolean): void => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", breakOff);
			worker.removeAllListeners();
			if (!goesOn) endAll(worker, at.folder);
			resolve(goesOn);
		};
		const breakOff = (): void => finish(false);
		signal?.addEventListener("abort", breakOff);
		const timer = setTimeout(() => {
			onFailure(plan.seed, `hung while it waited for ${at.stage}`);
			finish(false);
		}, order.limitMs + LAST_WORD_MS);
		worker.on("message", (word: Word) => {
			if (word.kind === "stage") at = word;
			if (word.kind === "report") {
				onReport(word.report);
				finish(true);
			}
			if (word.kind === "failed") {
				onFailure(plan.seed, word.why);
				// Leftover processes would disturb the next run.
				finish(false);
			}
		});
		worker.once("exit", (code, signal) => {
			onFailure(plan.seed, `its process ended with ${signal ?? code} while it waited for ${at.stage}`);
			finish(false);
		});
		worker.send({ ...order, plan } satisfies Order);
	});
}

/** Ends the worker and its run's machine processes, identified by the run's folder in their environment. */
function endAll(worker: ChildProcess, folder: string): void {
	worker.kill("SIGKILL");
	endProcessesOf(folder);
	if (folder !== "") rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
