import { existsSync } from "node:fs";
import path from "node:path";
import { badInput } from "./args.ts";

/** Root of the installation, or of the npm package with only the command line. */
const ROOT = path.resolve(import.meta.dirname, "..");

/**
 * Path of a program that only a full installation has.
 * @throws CliError if only the command line is installed
 */
export function installedProgram(relative: string): string {
	const file = path.join(ROOT, relative);
	if (existsSync(file)) return file;
	throw badInput("Only the command line is installed here. Run this command in a Spillway installation (docs/install.md).");
}
