import { spawn } from "node:child_process";
import { CliError, EXIT, type ExitCode } from "./exit.ts";
import { installedProgram } from "./installed-program.ts";
import type { Io } from "./io.ts";

/**
 * Runs a server-side program on this machine, with this process's terminal.
 * @param program its file, relative to the root of the installation
 * @returns its exit code: done, bad input, interrupted, or server for any other
 */
export async function runServerProgram(io: Io, program: string, argv: readonly string[]): Promise<ExitCode> {
	const child = spawn(process.execPath, [installedProgram(program), ...argv], { cwd: io.cwd, stdio: "inherit" });
	// A terminal's Ctrl-C reaches both; a signal sent only to this process has to be passed on.
	const stop = (): void => void child.kill("SIGTERM");
	io.signal.addEventListener("abort", stop);
	process.once("SIGTERM", stop);
	return new Promise<ExitCode>((resolve, reject) => {
		child.once("error", (cause) => reject(new CliError(EXIT.server, `The program cannot be started: ${cause.message}.`, { cause })));
		child.once("close", (code, signal) => resolve(signal === null ? exitOf(code) : EXIT.interrupted));
	}).finally(() => {
		io.signal.removeEventListener("abort", stop);
		process.off("SIGTERM", stop);
	});
}

function exitOf(code: number | null): ExitCode {
	return code === EXIT.done || code === EXIT.badInput ? code : EXIT.server;
}
