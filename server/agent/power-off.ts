import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { pause } from "./wait.ts";

export type PowerOffCommand = readonly [program: string, ...args: string[]];

const COMMANDS: readonly PowerOffCommand[] = [["shutdown", "-h", "now"], ["poweroff"]];
const RETRY_MS = 10_000;

/**
 * The machine's power-off commands, as absolute paths. They are looked up at the start: an emulated machine puts its own before
 * the host's, but its folder may be deleted before the end, and a lookup then would find the host's.
 */
export function findPowerOff(searchPath: string): PowerOffCommand[] {
	const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
	return COMMANDS.flatMap(([name, ...args]) => {
		const file = folders.map((folder) => path.join(folder, name)).find(isProgram);
		return file === undefined ? [] : [[file, ...args] as const];
	});
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** Powers the machine off, which ends its cost. Retries until a command is accepted. */
export async function powerOff(commands: readonly PowerOffCommand[], log: (text: string) => void): Promise<void> {
	for (;;) {
		for (const [program, ...args] of commands) {
			const problem = await run(program, args);
			if (problem === null) return;
			log(`${program} failed: ${problem}`);
		}
		if (commands.length === 0) log("neither shutdown nor poweroff is installed");
		await pause(RETRY_MS);
	}
}

function run(program: string, args: readonly string[]): Promise<string | null> {
	return new Promise((resolve) => {
		const child = spawn(program, args, { stdio: "ignore" });
		child.once("error", (error) => resolve(error.message));
		child.once("exit", (code, signal) => resolve(code === 0 ? null : `it exited with ${signal ?? `exit code ${code}`}`));
	});
}
