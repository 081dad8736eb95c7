import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";

export interface FolderFile {
	/** Path below the folder, with "/". */
	path: string;
	bytes: number;
	changedMs: number;
}

/** Regular files below a folder, sorted by path. A missing folder counts as empty. Links are not followed. */
export async function listFolder(folder: string): Promise<FolderFile[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
		throw error;
	});
	const files: FolderFile[] = [];
	for (const entry of entries) {
		if (!entry.isFile()) continue;
		const file = path.join(entry.parentPath, entry.name);
		// A job may delete old files during the scan.
		const found = await stat(file).catch(() => null);
		if (found) files.push({ path: path.relative(folder, file).split(path.sep).join("/"), bytes: found.size, changedMs: found.mtimeMs });
	}
	return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Equal for folders that did not change in between. */
export function signatureOf(files: readonly FolderFile[]): string {
	return JSON.stringify(files.map((f) => [f.path, f.bytes, f.changedMs]));
}

/** Larger than Node's default of 64 KiB: at that size the calls cost more than the hash. */
const READ_BYTES = 1024 ** 2;

/** Returns the SHA-256 (hex) and the length (bytes) of a file. */
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
