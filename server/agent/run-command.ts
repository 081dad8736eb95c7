import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Exit } from "#server/domain/outcome.ts";
import { takeLines } from "./log-lines.ts";
import { watchMemory } from "./out-of-memory.ts";
import { pause } from "./wait.ts";

export interface CommandOptions {
	/** Program and arguments; no shell reads them. */
	command: readonly string[];
	folder: string;
	environment: Record<string, string>;
	onLine(stream: "stdout" | "stderr", text: string): void;
	/** Asked after each chunk: reading pauses while it is true, so that the command waits in its write. */
	isFull(): boolean;
}

/** How long output that a stray process holds open is waited for after the command's end. */
const DRAIN_MS = 2_000;

/** A job's command, as a process of the machine or in a container. */
export interface Running {
	/** True once it has begun, false when it could not. */
	readonly started: Promise<boolean>;
	/** The command and what it started are over, and all of their output was handed on. */
	readonly ended: Promise<Exit>;
	/** Number of its process on the machine, of a container's first one; null when it is not there, or over. */
	rootPid(): Promise<number | null>;
	/** SIGTERM. */
	terminate(): void;
	/** SIGKILL. */
	kill(): void;
	/** Goes on reading its output. */
	resume(): void;
}

/** A command in its own process group. */
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
			// Nothing of the agent's own environment; NODE_ENV, which Next's types demand, is nothing that a job must have.
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

	/** Goes on reading. `permanent`: a command that shall end must not be held up by its own output. */
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
		// Whatever it left behind in its group ends with it.
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
			// No one is left in it.
		}
	}
}

function startProblem(program: string, error: Error): string {
	const code = "code" in error ? error.code : undefined;
	if (code === "ENOENT")
		return `The command "${program}" was not found on the machine. Name a program that its image has, or its whole path.`;
	if (code === "EACCES") return `The command "${program}" may not be executed: it is no program, or lacks the permission (chmod +x).`;
	return `The command "${program}" could not be started: ${error.message}`;
}
