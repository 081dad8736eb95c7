import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { SlurmJob } from "./mapper.ts";
import { SYSTEM_FOLDERS } from "./scontrol.ts";

/** A pipe that no one reads, or a file system that does not respond, would block everyone's jobs. */
const STALL_MS = 10_000;

/** Our identity and time limits; for tests. */
export interface Writing {
	ourUid?: number | null;
	stallMs?: number;
}

/** With the user's groups on this host. setpriv rejects users without an account here. */
const BECOME = 'exec setpriv --reuid="$1" --regid="$(id -g "$1")" --init-groups /bin/sh -c "$0" sh "$2"';

/**
 * Runs a shell line with `$1` as the owner of a job, so that no path can change another user's file, including ours. null: we are
 * neither the owner nor root, and cannot become them.
 * @throws Error if the job's owner is unknown
 */
export function asOwner(
	{ userId }: Pick<SlurmJob, "userId">,
	run: { script: string; argument: string },
	{ ourUid = process.getuid?.() ?? null, stallMs = STALL_MS }: Writing = {},
): OwnersProgram | null {
	if (userId === null || ourUid === null) throw new Error("the cluster does not report its owner, so nothing is written");
	if (userId === ourUid) return new OwnersProgram(["/bin/sh", "-c", run.script, "sh", run.argument], stallMs);
	if (ourUid !== 0) return null;
	return new OwnersProgram(["/bin/sh", "-c", BECOME, run.script, String(userId), run.argument], stallMs);
}

/** Writes to its standard input, in order. A program that accepts nothing for `stallMs` is given up. */
export class OwnersProgram {
	readonly #child;
	readonly #over: Promise<number | null>;
	readonly #stallMs: number;
	#said = "";
	#givenUp: Error | null = null;

	constructor([program = "", ...args]: readonly string[], stallMs: number) {
		this.#stallMs = stallMs;
		this.#child = spawn(program, args, {
			env: { PATH: SYSTEM_FOLDERS, NODE_ENV: "production" },
			stdio: ["pipe", "ignore", "pipe"],
		});
		this.#child.stderr.on("data", (chunk: Buffer) => {
			this.#said = `${this.#said}${chunk.toString("utf8")}`.slice(0, 500);
		});
		this.#child.stdin.on("error", () => {});
		this.#over = new Promise((resolve) => {
			this.#child.once("error", (error) => {
				this.#said ||= error.message;
				resolve(null);
			});
			this.#child.once("close", resolve);
		});
	}

	async write(text: string | Uint8Array): Promise<void> {
		if (this.#child.stdin.writable && !this.#child.stdin.write(text))
			await this.#soon(Promise.race([once(this.#child.stdin, "drain"), this.#over]));
	}

	/**
	 * Call after a failed write too.
	 * @throws Error with the last line of its output, if it failed
	 */
	async end(): Promise<void> {
		if (this.#givenUp) throw this.#givenUp;
		this.#child.stdin.end();
		const code = await this.#soon(this.#over);
		if (code !== 0) throw new Error(this.#said.trim().split("\n").at(-1) || `cannot be written (exit ${code})`);
	}

	async #soon<T>(done: Promise<T>): Promise<T> {
		const over = new AbortController();
		const late = setTimeout(this.#stallMs, "late" as const, { signal: over.signal }).catch(() => "late" as const);
		const first = await Promise.race([done, late]);
		over.abort();
		if (first !== "late") return first;
		// A program that hangs in the kernel ends with what it waits for.
		this.#child.kill("SIGKILL");
		this.#child.stdin.destroy();
		this.#givenUp = new Error(`accepted no data for ${this.#stallMs / 1_000} s; gave up`);
		throw this.#givenUp;
	}
}
