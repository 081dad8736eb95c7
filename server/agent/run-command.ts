import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Exit } from "#server/domain/outcome.ts";
import { takeLines } from "./log-lines.ts";
import { watchMemory } from "./out-of-memory.ts";
import { pause } from "./wait.ts";

export interface CommandOptions {
	/** Program and arguments, run without a shell. */
	command: readonly string[];
	folder: string;
	environment: Record<string, string>;
	onLine(stream: "stdout" | "stderr", text: string): void;
	/** Checked after each chunk. While it is true, reading pauses and the command blocks in its write. */
	isFull(): boolean;
}

/** How long to wait, after the command's end, for output that a stray process holds open. */
const DRAIN_MS = 2_000;

/** A job's command, as a process of the machine or in a container. */
export interface Running {
	/** Resolves to true once the command has started, or to false if it could not be. */
	readonly started: Promise<boolean>;
	/** Resolves when the command and its children have ended and all of their output was read. */
	readonly ended: Promise<Exit>;
	/** Process id on the machine (of a container: its first process); null if it is not running. */
	rootPid(): Promise<number | null>;
	/** Sends SIGTERM. */
	terminate(): void;
	/** Sends SIGKILL. */
	kill(): void;
	/** Resumes reading the output. */
	resume(): void;
}

/** Runs a command in its own process group. */
export class RunningCommand implements Running {
	readonly #child: ChildProcess;
	readonly #options: CommandOptions;
	#paused: Readable[] = [];
	#neverPause = false;
	#killed = false;
	readonly started: Promise<boolean>;
	readonly ended: Promise<Exit>;

	constructor(options: CommandOptions) {
		this.#options = options;
		const [program = "", ...args] = options.command;
		const memory = watchMemory();
		this.#child = spawn(program, args, {
			cwd: options.folder,
			// Inherits nothing from the agent's environment. Next's types require NODE_ENV, but jobs do not need it.
			env: options.environment as NodeJS.ProcessEnv,
			detached: true,
			stdio: ["ignore", "pipe", "pipe"],
		});
		this.started = new Promise((resolve) => {
			this.#child.once("spawn", () => resolve(true));
			this.#child.once("error", () => resolve(false));
		});
		const outputs = Promise.all([this.#read(this.#child.stdout, "stdout"), this.#read(this.#child.stderr, "stderr")]);
		this.ended = this.#untilEnded(program, outputs).then((exit) => (this.#killed ? exit : memory.explain(exit)));
	}

	async rootPid(): Promise<number | null> {
		return this.#child.pid ?? null;
	}

	terminate(): void {
		this.resume({ permanent: true });
		this.#signalGroup("SIGTERM");
	}

	kill(): void {
		this.#killed = true;
		this.resume({ permanent: true });
		this.#signalGroup("SIGKILL");
	}

	/** Resumes reading. `permanent`: never pause again, because its own output must not block a command that has to end. */
	resume(options: { permanent: boolean } = { permanent: false }): void {
		this.#neverPause ||= options.permanent;
		for (const stream of this.#paused.splice(0)) stream.resume();
	}

	async #untilEnded(program: string, outputs: Promise<unknown>): Promise<Exit> {
		const exit = await new Promise<Exit>((resolve) => {
			this.#child.once("exit", (code, signal) => resolve({ code, signal, error: null }));
			this.#child.once("error", (error) => {
				if (this.#child.pid === undefined) resolve({ code: null, signal: null, error: startProblem(program, error), failedAt: "start" });
			});
		});
		// Ends any processes that the command left in its group.
		this.#signalGroup("SIGKILL");
		this.resume({ permanent: true });
		await Promise.race([outputs, pause(DRAIN_MS)]);
		this.#child.stdout?.destroy();
		this.#child.stderr?.destroy();
		await outputs;
		return exit;
	}

	#read(stream: Readable | null, name: "stdout" | "stderr"): Promise<void> {
		let rest: Uint8Array = new Uint8Array();
		const hand = (chunk: Uint8Array, atEnd: boolean): void => {
			const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
			const { lines, usedBytes } = takeLines(all, { atEnd });
			rest = all.subarray(usedBytes);
			for (const line of lines) this.#options.onLine(name, line);
		};
		return new Promise((resolve) => {
			if (stream === null) return resolve();
			stream.on("data", (chunk: Buffer) => {
				hand(chunk, false);
				if (this.#neverPause || !this.#options.isFull()) return;
				stream.pause();
				this.#paused.push(stream);
			});
			stream.on("error", () => {});
			stream.once("close", () => {
				hand(new Uint8Array(), true);
				resolve();
			});
		});
	}

	#signalGroup(signal: NodeJS.Signals): void {
		if (this.#child.pid === undefined) return;
		try {
			process.kill(-this.#child.pid, signal);
		} catch {
			// The group has no processes left.
		}
	}
}

function startProblem(program: string, error: Error): string {
	const code = "code" in error ? error.code : undefined;
	if (code === "ENOENT")
		return `The command "${program}" was not found on the instance. Use a program that its image includes, or a full path.`;
	if (code === "EACCES") return `The command "${program}" cannot be executed: it is not a program, or is not executable (chmod +x).`;
	return `The command "${program}" could not be started: ${error.message}`;
}
