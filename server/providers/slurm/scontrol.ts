import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { DriverError } from "../driver-errors.ts";

const run = promisify(execFile);
/** Paths of the system's programs, because the program runs without an environment. */
export const SYSTEM_FOLDERS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const SCRIPT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Operations that slurmrestd lacks.
 * @throws DriverError `not_found` for an unknown job, `unauthorized` without the right to it
 */
export async function scontrol([program = "", ...before]: readonly string[], args: readonly string[], timeoutMs: number): Promise<string> {
	try {
		const { stdout } = await run(program, [...before, ...args], { timeout: timeoutMs, maxBuffer: SCRIPT_BYTES_MAX, encoding: "utf8" });
		return stdout;
	} catch (error) {
		throw errorOf(program, args, error);
	}
}

function errorOf(program: string, args: readonly string[], error: unknown): DriverError {
	const { code, stderr = "" } = (error ?? {}) as { code?: string | number; stderr?: string };
	const said = stderr.trim() || (error instanceof Error ? error.message : String(error));
	const message = `Slurm: ${program} ${args.join(" ")}: ${said}`;
	if (code === "ENOENT") {
		const fix = `install Slurm's client programs on Spillway's host, or correct "scontrol" in the site's settings`;
		return new DriverError("invalid_request", `${message}; ${fix}`, { cause: error });
	}
	if (/invalid job id|job script not found|batch script for job/i.test(said))
		return new DriverError("not_found", message, { cause: error });
	if (/permission denied|access denied|not authorized|authentication/i.test(said)) {
		return new DriverError("unauthorized", `${message}; make Spillway's user an operator: sacctmgr modify user … set adminlevel=operator`, {
			cause: error,
		});
	}
	return new DriverError("transient", message, { cause: error });
}
