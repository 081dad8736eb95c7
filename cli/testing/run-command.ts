import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { runCli } from "../run.ts";

export interface Ran {
	/** Exit code. */
	code: number;
	out: string;
	err: string;
}

export interface RunOptions {
	/** Added to the environment of the tests. */
	env?: Record<string, string>;
	cwd?: string;
	stdin?: string;
	/** Called with everything printed so far, whenever it grows. */
	onOutput?: (printed: string) => void;
}

/**
 * Runs `spillway ARGS` in this process, without a terminal. Starting a process for each command costs half a second of
 * CPU; `server/api/rest/cli.db.test.ts` covers the real one.
 */
export async function runCommand(args: readonly string[], { env, cwd, stdin = "", onOutput }: RunOptions = {}): Promise<Ran> {
	let [out, err] = ["", ""];
	const code = await runCli(args, {
		out: (text) => {
			out += text;
			onOutput?.(out + err);
		},
		err: (text) => {
			err += text;
			onOutput?.(out + err);
		},
		...{ columns: null, progress: false, color: false, signal: new AbortController().signal },
		env: { ...process.env, ...env },
		cwd: cwd ?? process.cwd(),
		nowMs: () => Date.now(),
		readStdin: async () => stdin,
		sleep: async (ms) => void (await sleep(ms)),
	});
	return { code, out, err };
}
