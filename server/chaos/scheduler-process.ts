import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import type { AgentFile } from "./machine-context.ts";
import type { Cloud } from "./plan.ts";

const PROGRAM = new URL("./scheduler-program.ts", import.meta.url);
/** File descriptor on which steps are announced and answered. */
export const STEPS_FD = 4;
/** Real time before a scheduler that exited by itself is restarted. */
const AGAIN_MS = 100;
/** In hundredths of a second. */
const TICK_MS = 10;

/** All inputs of a scheduler process; everything else is in the database and at home. */
export interface SchedulerOrder {
	databaseUrl: string;
	name: string;
	clock: { startMs: number; rate: number };
	clouds: { cloud: Cloud; url: string }[];
	/** A region with reduced prices. */
	dropped: string | null;
	home: { folder: string; slots: number } | null;
	/** The run's folder, which identifies its processes. */
	folder: string;
	/** Folder of Google's key. */
	keyFolder: string;
	controlUrl: string;
	agent: AgentFile;
	checkpointRoot: string;
	artifactRoot: string;
	/** The steps that are announced, each before the scheduler continues. */
	watched: string[];
	verbose: boolean;
}
export type SchedulerOrders = { kind: "begin"; order: SchedulerOrder } | { kind: "drop"; region: string } | { kind: "stop" };
export type SchedulerWord = { kind: "ready" } | { kind: "log"; text: string };

export interface SchedulerWatch {
	/** Called at each watched step while the scheduler waits there; may kill it. */
	onStep(step: string): void;
	log(text: string): void;
}

/**
 * A scheduler in a separate process. A kill ends it wherever it is, and the database and its providers see its sockets
 * close.
 */
export class SchedulerProcess {
	readonly #order: SchedulerOrder;
	readonly #watch: SchedulerWatch;
	#child: ChildProcess;
	#isOver = false;
	#ready: Promise<void>;
	#usedMs = 0;

	constructor(order: SchedulerOrder, watch: SchedulerWatch) {
		this.#order = order;
		this.#watch = watch;
		[this.#child, this.#ready] = this.#start();
	}

	/** Resolves when it leads, waits to lead, or is killed first. */
	get ready(): Promise<void> {
		return this.#ready;
	}

	get isOver(): boolean {
		return this.#isOver;
	}

	/** CPU time of its ended processes. */
	get usedMs(): number {
		return this.#usedMs;
	}

	drop(region: string): void {
		this.#order.dropped = region;
		this.#send({ kind: "drop", region });
	}

	/** Sends SIGKILL immediately. Returns when the process no longer exists. */
	async kill(): Promise<void> {
		if (this.#isOver) return;
		this.#isOver = true;
		const gone = this.#gone();
		this.#noteUse();
		this.#child.kill("SIGKILL");
		await gone;
	}

	/** Stops it gracefully. */
	async stop(): Promise<void> {
		if (this.#isOver) return;
		this.#isOver = true;
		const gone = this.#gone();
		this.#noteUse();
		this.#send({ kind: "stop" });
		await gone;
	}

	#gone(): Promise<void> {
		const child = this.#child;
		if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
		return new Promise((resolve) => child.once("exit", () => resolve()));
	}

	#start(): [ChildProcess, Promise<void>] {
		const NODE_COMPILE_CACHE = path.join(os.tmpdir(), "spillway-chaos-compiled");
		const child = fork(PROGRAM, {
			stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
			env: { ...process.env, NODE_COMPILE_CACHE, SPILLWAY_CHAOS_FOLDER: `${this.#order.folder}/` },
		});
		const ready = new Promise<void>((resolve) => {
			child.on("message", (word: SchedulerWord) => (word.kind === "ready" ? resolve() : this.#watch.log(word.text)));
			child.once("exit", (code, signal) => {
				resolve();
				if (!this.#isOver) this.#again(String(signal ?? code));
			});
		});
		this.#answer(child.stdio[STEPS_FD] as Duplex);
		child.send({ kind: "begin", order: this.#order } satisfies SchedulerOrders);
		return [child, ready];
	}

	#again(how: string): void {
		this.#watch.log(`the scheduler's process ended by itself with ${how}`);
		setTimeout(() => {
			if (!this.#isOver) [this.#child, this.#ready] = this.#start();
		}, AGAIN_MS);
	}

	/** One step at a time, because the scheduler waits for the answer. */
	#answer(steps: Duplex): void {
		steps.on("error", () => {});
		steps.on("data", (chunk: Buffer) => {
			if (this.#isOver) return;
			this.#watch.onStep(chunk.toString("utf8").trim());
			if (!this.#isOver) steps.write(".");
		});
	}

	#send(word: SchedulerOrders): void {
		if (this.#child.connected) this.#child.send(word, () => {});
	}

	#noteUse(): void {
		try {
			const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
			const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
			this.#usedMs += (Number(fields[11]) + Number(fields[12])) * TICK_MS;
		} catch {
			// It exited by itself.
		}
	}
}
