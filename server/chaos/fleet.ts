import { type ChildProcess, fork } from "node:child_process";
import { rmSync } from "node:fs";
import { endProcessesOf } from "./guest-processes.ts";
import type { Plan } from "./plan.ts";
import type { RunReport } from "./run-report.ts";
import type { Order, Word } from "./worker.ts";

/** A run past its own limit hangs: it gets this long to report so. */
const LAST_WORD_MS = 60_000;
const WORKER = new URL("./worker.ts", import.meta.url);

export interface FleetOptions extends Omit<Order, "plan"> {
	workers: number;
	/** Aborted, the runs under way are ended at once, with all that runs on their machines, and no other one begins. */
	signal?: AbortSignal;
	/** Called for each run when it has ended. */
	onReport(report: RunReport): void;
	/** A run that could not be made, or that hung. */
	onFailure(seed: number, why: string): void;
}

/** Makes runs of these plans, several side by side, each worker in its own process. The list may be emptied meanwhile. */
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

/** Answers whether the worker can make another one. */
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
				// What it left running would disturb the next run.
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

/** The worker, and the processes of its run's machines, which are known by the run's folder in their environment. */
function endAll(worker: ChildProcess, folder: string): void {
	worker.kill("SIGKILL");
	endProcessesOf(folder);
	if (folder !== "") rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
