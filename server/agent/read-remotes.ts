import { readFile } from "node:fs/promises";
import { type DataRemotes, parseRemotes } from "#server/domain/data-remotes.ts";

/**
 * Reads the operator's data remotes from a file in the format of rclone.conf. Empty without a file.
 * @throws Error naming the file and the mistake in it
 */
export async function readRemotes(file: string | undefined): Promise<DataRemotes> {
	if (file === undefined) return {};
	try {
		return parseRemotes(await readFile(file, "utf8"));
	} catch (error) {
		throw new Error(`could not read the data remotes in ${file}: ${error instanceof Error ? error.message : String(error)}`);
	}
}
