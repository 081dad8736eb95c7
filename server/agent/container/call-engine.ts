import { execFile } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { createInterface } from "node:readline";

/** Docker's or podman's command; both understand every word that is used here. */
export interface ContainerEngine {
	/** Whole path. */
	program: string;
	kind: "docker" | "podman";
}

/** What kept a container from running, for people. `image`: it could not be fetched. */
export class ContainerError extends Error {
	override name = "ContainerError";
	readonly failedAt: "image" | "start";
	constructor(failedAt: "image" | "start", message: string) {
		super(message);
		this.failedAt = failedAt;
	}
}

/** How an engine's call ended: its last words where it failed. */
export interface EngineAnswer {
	ok: boolean;
	stdout: string;
	/** The last line that it complained with; empty when it had no complaint. */
	complaint: string;
}

export interface EngineCall {
	/** Beside the engine's own. */
	environment?: Readonly<Record<string, string>>;
	signal?: AbortSignal;
	timeoutMs?: number;
	onLine?(line: string): void;
}

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 4 * 1024 ** 2;

/** Calls the engine to its end. Never throws, except for the signal's reason: an engine that cannot be started has failed. */
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
	// Its failures come as an exit code; what could not even be started has none.
	child.on("error", (error) => {
		complaint ||= error.message;
	});
	const code = await once(child, "close").then(
		([ended]: unknown[]) => ended,
		() => null,
	);
	call.signal?.throwIfAborted();
	if (code !== 0 && child.killed) complaint ||= `no answer in ${timeoutMs / 1_000} s`;
	return { ok: code === 0, stdout: stdout.trim(), complaint: complaint.replace(/^Error(?: response from daemon)?: /, "") };
}

/** The agent's own environment without what is Spillway's: the engine needs its home, its paths and a proxy's address. */
export function engineEnvironment(): Record<string, string> {
	const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !name.startsWith("SPILLWAY_"));
	// At a machine's first boot no one has set it, and both engines look there.
	return { HOME: homedir(), ...Object.fromEntries(kept) } as Record<string, string>;
}
