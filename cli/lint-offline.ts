import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { policyCheckSchema } from "#server/contract/outputs/policy.ts";
import { CliError, EXIT } from "./exit.ts";
import { installedProgram } from "./installed-program.ts";

/** A separate program, because the command has no parser: results are the same as the server's. */
const PROGRAM = "server/bin/lint-policy.ts";

/** @throws CliError when the program cannot be started */
export async function lintOffline(source: string) {
	const child = spawn(process.execPath, [installedProgram(PROGRAM)], { stdio: ["pipe", "pipe", "inherit"] });
	const failed = new Promise<never>((_, reject) => child.once("error", reject));
	child.stdin.on("error", () => {});
	child.stdin.end(source);
	try {
		const answer = await Promise.race([text(child.stdout), failed]);
		return policyCheckSchema.pick({ ok: true, problems: true }).parse(JSON.parse(answer));
	} catch (cause) {
		throw new CliError(EXIT.server, `The parser cannot be started: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
	}
}
