import { access, constants, stat } from "node:fs/promises";
import path from "node:path";

/**
 * Returns why a command cannot be started, or null if it can. Checked before a process is created, because a shell's status 127
 * does not distinguish a missing command from one that exits with 127.
 */
export async function whyNotStartable(command: string, searchPath: string, workFolder: string): Promise<string | null> {
	if (command.includes("/")) return problemOf(path.resolve(workFolder, command), command);
	let problem: string | null = null;
	for (const folder of searchPath.split(":")) {
		const found = await problemOf(path.join(path.resolve(workFolder, folder), command), command);
		if (found === null) return null;
		if (!found.endsWith(MISSING)) problem ??= found;
	}
	return problem ?? `the command ${JSON.stringify(command)} was not found in PATH (${searchPath})`;
}

const MISSING = "does not exist";

async function problemOf(file: string, command: string): Promise<string | null> {
	const name = `the command ${JSON.stringify(command)}`;
	try {
		if (!(await stat(file)).isFile()) return `${name} is not a file: ${file}`;
		await access(file, constants.X_OK);
		return null;
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? "";
		if (code === "EACCES") return `${name} is not executable: ${file}`;
		return `${name} cannot be started: ${file} ${code === "ENOENT" || code === "ENOTDIR" ? MISSING : `returned ${code}`}`;
	}
}
