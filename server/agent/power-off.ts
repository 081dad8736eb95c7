import { spawn } from "node:child_process";
import { pause } from "./wait.ts";

const COMMANDS = [["shutdown", "-h", "now"], ["poweroff"], ["systemctl", "poweroff", "--force"]] as const;
const RETRY_MS = 10_000;

/** Powers the machine off, which ends what it costs. Returns once a command was accepted; tries for ever until then. */
export async function powerOff(log: (text: string) => void): Promise<void> {
	for (;;) {
		for (const [program, ...args] of COMMANDS) {
			const problem = await run(program, args);
			if (problem === null) return;
			log(`${program} failed: ${problem}`);
		}
		await pause(RETRY_MS);
	}
}

function run(program: string, args: readonly string[]): Promise<string | null> {
	return new Promise((resolve) => {
		const child = spawn(program, args, { stdio: "ignore" });
		child.once("error", (error) => resolve(error.message));
		child.once("exit", (code, signal) => resolve(code === 0 ? null : `it ended with ${signal ?? `exit code ${code}`}`));
	});
}
