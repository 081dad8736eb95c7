import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";

export interface FolderFile {
	/** Below the folder, with "/". */
	path: string;
	bytes: number;
	changedMs: number;
}

/** Plain files below a folder, in order of their paths; an absent folder is empty. Links are not followed. */
export async function listFolder(folder: string): Promise<FolderFile[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
		throw error;
	});
	const files: FolderFile[] = [];
	for (const entry of entries) {
		if (!entry.isFile()) continue;
		const file = path.join(entry.parentPath, entry.name);
		// A job may delete its old files while we look.
		const found = await stat(file).catch(() => null);
		if (found) files.push({ path: path.relative(folder, file).split(path.sep).join("/"), bytes: found.size, changedMs: found.mtimeMs });
	}
	return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Equal for folders that no one has written to in between. */
export function signatureOf(files: readonly FolderFile[]): string {
	return JSON.stringify(files.map((f) => [f.path, f.bytes, f.changedMs]));
}

/** Larger reads than Node's 64 KiB: at that size the calls cost more than the hash. */
const READ_BYTES = 1024 ** 2;

/** sha256 in hex and the length of a file. */
export async function digestOf(file: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number }> {
	const hash = createHash("sha256");
	let bytes = 0;
	const count = async (source: AsyncIterable<Buffer>): Promise<void> => {
		for await (const chunk of source) {
			hash.update(chunk);
			bytes += chunk.length;
		}
	};
	await pipeline(createReadStream(file, { highWaterMark: READ_BYTES }), count, signal ? { signal } : {});
	return { sha256: hash.digest("hex"), bytes };
}
