import { execFile } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { createInterface } from "node:readline";

/** The docker or podman command. Both support every option used here. */
export interface ContainerEngine {
	/** Absolute path. */
	program: string;
	kind: "docker" | "podman";
}

/** Why a container could not run, as a message for users. `image`: the image could not be pulled. */
export class ContainerError extends Error {
	override name = "ContainerError";
	readonly failedAt: "image" | "start";
	constructor(failedAt: "image" | "start", message: string) {
		super(message);
		this.failedAt = failedAt;
	}
}

/** How an engine call ended, with its last output if it failed. */
export interface EngineAnswer {
	ok: boolean;
	stdout: string;
	/** The last line of standard error; empty if there was none. */
	complaint: string;
}

export interface EngineCall {
	/** Added to the engine's own environment. */
	environment?: Readonly<Record<string, string>>;
	signal?: AbortSignal;
	timeoutMs?: number;
	onLine?(line: string): void;
}

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 4 * 1024 ** 2;

/** Runs the engine and waits for its end. An engine that cannot be started counts as failed. Throws only the signal's reason. */
export async function callEngine(engine: ContainerEngine, args: readonly string[], call: EngineCall = {}): Promise<EngineAnswer> {
	call.signal?.throwIfAborted();
	const timeoutMs = call.timeoutMs ?? TIMEOUT_MS;
	const child = execFile(engine.program, [...args], {
		env: { ...engineEnvironment(), ...call.environment } as NodeJS.ProcessEnv,
		timeout: timeoutMs,
		maxBuffer: OUTPUT_BYTES_MAX,
		...(call.signal ? { signal: call.signal } : {}),
	});
	let stdout = "";
	let complaint = "";
	child.stdout?.on("data", (text: string) => {
		stdout += text;
	});
	for (const stream of [child.stdout, child.stderr]) if (stream && call.onLine) createInterface({ input: stream }).on("line", call.onLine);
	if (child.stderr)
		createInterface({ input: child.stderr }).on("line", (line) => {
			if (line.trim() !== "") complaint = line.trim();
		});
	// Failures arrive as an exit code; a command that could not be started has none.
	child.on("error", (error) => {
		complaint ||= error.message;
	});
	const code = await once(child, "close").then(
		([ended]: unknown[]) => ended,
		() => null,
	);
	call.signal?.throwIfAborted();
	if (code !== 0 && child.killed) complaint ||= `no response in ${timeoutMs / 1_000} s`;
	return { ok: code === 0, stdout: stdout.trim(), complaint: complaint.replace(/^Error(?: response from daemon)?: /, "") };
}

/** The agent's environment without Spillway's variables. The engine needs its home, its paths and a proxy's address. */
export function engineEnvironment(): Record<string, string> {
	const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !name.startsWith("SPILLWAY_"));
	// HOME is not set at a machine's first boot, but both engines read it.
	return { HOME: homedir(), ...Object.fromEntries(kept) } as Record<string, string>;
}
