import { existsSync } from "node:fs";
import path from "node:path";
import { badInput } from "./args.ts";

/** The installation, or the folder of the package that has the command alone. */
const ROOT = path.resolve(import.meta.dirname, "..");

/**
 * The file of a program of the server's side.
 * @throws CliError where the command was installed alone.
 */
export function installedProgram(relative: string): string {
	const file = path.join(ROOT, relative);
	if (existsSync(file)) return file;
	throw badInput("This needs a Spillway installation, and here is the command alone. Run it in the installation (docs/install.md).");
}
