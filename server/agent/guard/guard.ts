import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Lease } from "../lease.ts";
import { pause } from "../wait.ts";
import type { GuardOrder, GuardReport } from "./run-guard.ts";

/** The argument that makes the agent's file run as a guard. */
export const GUARD_ARGUMENT = "guard";
const START_MS = 20_000;

export interface GuardOptions {
	lease: Lease;
	/** The environment variable of JobMark. */
	variable: string;
	/** The agent's file. */
	file: string;
	onWord(word: "frozen" | "thawed"): void;
	/** Called when the guard ends unexpectedly: nothing enforces the lease any more. */
	onLoss(): void;
}

/** The agent's handle of its guard process. */
export class Guard {
	readonly #child: ChildProcess;
	readonly #lease: Lease;
	#isEnded = false;
	#isLost = false;

	private constructor(child: ChildProcess, { lease, onLoss }: GuardOptions) {
		this.#child = child;
		this.#lease = lease;
		child.stdin?.on("error", () => {});
		child.once("exit", () => {
			this.#isLost = !this.#isEnded;
			if (this.#isLost) onLoss();
		});
	}

	/** @throws Error if the guard does not start */
	static async start(options: GuardOptions): Promise<Guard> {
		const child = spawn(process.execPath, [options.file, GUARD_ARGUMENT, options.variable], { stdio: ["pipe", "pipe", "inherit"] });
		const watching = new AbortController();
		const failed = new Promise<never>((_, reject) => {
			child.once("error", reject);
			child.once("exit", (code, signal) => reject(new Error(`it exited with ${signal ?? code}`)));
		});
		failed.catch(() => {});
		createInterface({ input: child.stdout ?? process.stdin }).on("line", (line) => {
			const word = line as GuardReport;
			if (word === "watching") watching.abort();
			else options.onWord(word);
		});
		const late = pause(START_MS, watching.signal).then((isLate) => {
			if (isLate) throw new Error("it did not start in time");
		});
		try {
			await Promise.race([late, failed]);
		} catch (error) {
			child.kill("SIGKILL");
			throw error;
		}
		return new Guard(child, options);
	}

	/** Whether the lease is enforced. Also true after the guard has ended the job, because nothing of the job runs any more. */
	get holds(): boolean {
		return !this.#isLost;
	}

	get lease(): Lease {
		return this.#lease;
	}

	/** The control plane answered the heartbeat sent at that time (bootTimeMs), and the job is still assigned to this machine. */
	renew(sentAtMs: number): void {
		this.#lease.renew(sentAtMs);
		this.#order({ untilMs: this.#lease.untilMs });
	}

	/** The command's process. Its group and descendants also belong to the job. */
	watch(rootPid: number): void {
		this.#order({ rootPid });
	}

	/** Ends the guard, and all processes that the job left behind. */
	end(): void {
		this.#isEnded = true;
		this.#child.stdin?.end();
	}

	#order(order: GuardOrder): void {
		if (!this.#isEnded) this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
	}
}
