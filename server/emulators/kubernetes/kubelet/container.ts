import { type ChildProcessByStdio, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { constants } from "node:os";
import type { Readable } from "node:stream";

/** Wall-clock nanoseconds that never repeat, like containerd's timestamp of each log line. */
const EPOCH_NS = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
let lastNs = 0n;
function nowNs(): bigint {
	const ns = EPOCH_NS + process.hrtime.bigint();
	lastNs = ns > lastNs ? ns : lastNs + 1n;
	return lastNs;
}

/** `2026-11-22T07:00:00.123456789Z`. */
export function stamp(ns: bigint): string {
	const seconds = new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19);
	return `${seconds}.${String(ns % 1_000_000_000n).padStart(9, "0")}Z`;
}

export interface LogEntry {
	ns: bigint;
	text: string;
	/** The last line of a container may lack its newline. */
	whole: boolean;
}

/** A command that really runs, as a process of this host in its own process group. Events: `line`, `exit`. */
export class Container extends EventEmitter<{ line: [LogEntry]; exit: [] }> {
	readonly log: LogEntry[] = [];
	/** 128 + n for signal n, as runtimes report it. */
	exitCode: number | null = null;
	#child: ChildProcessByStdio<null, Readable, Readable> | null = null;

	/** @throws Error with the runtime's message if the program does not exist */
	async start(command: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }): Promise<void> {
		const [program = "", ...args] = command;
		const child = spawn(program, args, {
			cwd,
			env: { ...env, NODE_ENV: env.NODE_ENV } as NodeJS.ProcessEnv,
			detached: true,
			stdio: ["ignore", "pipe", "pipe"],
		});
		this.#child = child;
		const drained = [this.#read(child.stdout), this.#read(child.stderr)];
		const exited = new Promise<number>((resolve) => {
			child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
		});
		await new Promise<void>((resolve, reject) => {
			child.once("spawn", resolve);
			child.once("error", () => reject(new Error(`exec: ${JSON.stringify(program)}: executable file not found in $PATH: unknown`)));
		});
		void exited.then(async (code) => {
			// When the container's main process ends, the others end too.
			this.#signal("SIGKILL", true);
			await Promise.allSettled(drained);
			this.exitCode = code;
			this.emit("exit");
		});
	}

	/** Signals only the container's main process, as runtimes do. */
	terminate(): void {
		this.#signal("SIGTERM", false);
	}

	kill(): void {
		this.#signal("SIGKILL", true);
	}

	#signal(signal: NodeJS.Signals, group: boolean): void {
		const pid = this.#child?.pid;
		if (pid === undefined) return;
		try {
			process.kill(group ? -pid : pid, signal);
		} catch {
			// The process has ended.
		}
	}

	async #read(stream: Readable): Promise<void> {
		stream.setEncoding("utf8");
		let rest = "";
		for await (const chunk of stream) {
			const lines = (rest + String(chunk)).split("\n");
			rest = lines.pop() ?? "";
			for (const text of lines) this.#keep(text, true);
		}
		if (rest !== "") this.#keep(rest, false);
	}

	#keep(text: string, whole: boolean): void {
		const entry = { ns: nowNs(), text, whole };
		this.log.push(entry);
		this.emit("line", entry);
	}
}
