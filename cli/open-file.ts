import { createReadStream, statSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { CliError, EXIT } from "./exit.ts";

/**
 * A file's content for an upload.
 * @throws CliError `badInput` when there is no such file
 */
export function openFile(cwd: string, file: string): ReadableStream<Uint8Array> {
	const at = path.resolve(cwd, file);
	if (statSync(at, { throwIfNoEntry: false })?.isFile() !== true) throw new CliError(EXIT.badInput, `There is no file ${file}.`);
	// Node's web stream is the same as the browser's except in name.
	return Readable.toWeb(createReadStream(at)) as ReadableStream<Uint8Array>;
}
