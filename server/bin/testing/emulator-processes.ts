import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/**
 * The address for an emulator on a port that the system chooses, so that no other process can take it in between. The emulator
 * prints the port.
 */
export const ANY_PORT = "http://127.0.0.1:0";

/** The emulators as processes with their own state folder. `end` kills running ones and deletes the folder. */
export class EmulatorProcesses {
	readonly home = mkdtempSync(join(tmpdir(), "spillway-emulator-"));
	readonly #children: ChildProcess[] = [];

	start(program: "aws-emulator" | "azure-emulator" | "gcp-emulator", args: string[], env: Record<string, string> = {}) {
		const file = fileURLToPath(new URL(`../${program}.ts`, import.meta.url));
		const settings = Object.entries({ SPILLWAY_HOME: this.home, ...env }).map(([name, value]) => `${name}=${value}`);
		const child = spawn("env", [...settings, process.execPath, file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
		this.#children.push(child);
		const exit = once(child, "exit").then(([code]: unknown[]) => code);
		const [output, errors] = [text(child.stdout), text(child.stderr)];
		const isReady = new Promise<string>((resolve) => {
			let printed = "";
			child.stdout.on("data", (chunk: Buffer) => {
				printed += chunk.toString();
				const [, url] = /ready at (http:\/\/[\d.]+:\d+)/.exec(printed) ?? [];
				if (url) resolve(url);
			});
		});
		const isOver = exit.then(async (code) => {
			throw new Error(`${program} ended with ${code} before it was ready: ${await errors}`);
		});
		/** The address in its ready message. Throws its error output if it ends instead. */
		const endpoint = () => Promise.race([isReady, isOver]);
		isOver.catch(() => {});
		return { child, exit, output, errors, endpoint };
	}

	end(): void {
		for (const child of this.#children.splice(0)) child.kill("SIGKILL");
		rmSync(this.home, { recursive: true, force: true });
	}
}
