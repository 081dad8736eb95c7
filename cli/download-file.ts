import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Client } from "./client.ts";
import { CliError, EXIT } from "./exit.ts";

export interface RemoteFile {
	artifactId: string;
	path: string;
	bytes: number;
	sha256: string;
}

/**
 * Downloads one file of an artifact below `folder`. An interrupted download resumes; the file gets its name only once
 * its SHA-256 matches.
 * @throws CliError when the path leaves the folder, or the checksum is wrong
 */
export async function downloadFile(client: Client, folder: string, file: RemoteFile): Promise<void> {
	const target = path.resolve(folder, file.path);
	if (!target.startsWith(path.resolve(folder) + path.sep))
		throw new CliError(EXIT.server, `The server names a file outside of the folder: ${JSON.stringify(file.path)}. Nothing was written.`);
	await mkdir(path.dirname(target), { recursive: true });
	const part = `${target}.part`;
	const start = await sizeOf(part);
	if (start > file.bytes) await rm(part);
	const from = start > file.bytes ? 0 : start;
	if (from < file.bytes || file.bytes === 0) {
		const headers: Record<string, string> = from > 0 ? { range: `bytes=${from}-` } : {};
		const chunks = client.bytes(`/artifacts/${file.artifactId}/content`, { path: file.path }, headers);
		await pipeline(Readable.from(chunks), createWriteStream(part, { flags: "a" }));
	}
	const sha256 = await sumOf(part);
	if (sha256 !== file.sha256) {
		await rm(part, { force: true });
		throw new CliError(EXIT.server, `${file.path} arrived damaged (SHA-256 ${sha256}, expected ${file.sha256}). Run the command again.`);
	}
	await rename(part, target);
}

async function sizeOf(file: string): Promise<number> {
	return (await stat(file).catch(() => null))?.size ?? 0;
}

async function sumOf(file: string): Promise<string> {
	const hash = createHash("sha256");
	await pipeline(createReadStream(file), hash);
	return hash.digest("hex");
}
