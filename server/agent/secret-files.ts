import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** Writes secrets as files that only their owner can read. Returns their folder, or undefined if there are none. */
export async function writeSecretFiles(folder: string, files: Readonly<Record<string, string>>): Promise<string | undefined> {
	if (Object.keys(files).length === 0) return undefined;
	await mkdir(folder, { recursive: true, mode: 0o700 });
	for (const [name, value] of Object.entries(files)) {
		const file = path.join(folder, name);
		// Writing to an existing file would keep its mode.
		await rm(file, { force: true });
		await writeFile(file, value, { mode: 0o600, flag: "wx" });
	}
	return folder;
}
