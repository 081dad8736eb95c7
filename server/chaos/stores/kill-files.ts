import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { listFolder } from "#server/agent/folder-files.ts";
import type { Random } from "#server/kernel/random.ts";

/** File contents by path. */
export type Files = Map<string, Buffer>;

const BYTES_MAX = 200_000;

/** One to three files with names that begin with `prefix`. */
export function drawFiles(random: Random, prefix: string): Files {
	const count = random.int(1, 3);
	return new Map(Array.from({ length: count }, (_, i) => [`${prefix}_${i}.bin`, drawContent(random.fork(String(i)))]));
}

function drawContent(random: Random): Buffer {
	const content = Buffer.alloc(random.int(0, BYTES_MAX));
	for (let at = 0; at + 4 <= content.length; at += 4) content.writeUInt32LE(random.int(0, 2 ** 32 - 1), at);
	return content;
}

export async function writeFiles(folder: string, files: Files): Promise<void> {
	for (const [name, content] of files) {
		const file = path.join(folder, name);
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, content);
	}
}

/** The files below a folder; empty for a missing folder. */
export async function filesIn(folder: string): Promise<Files> {
	const found: Files = new Map();
	for (const file of await listFolder(folder)) found.set(file.path, await readFile(path.join(folder, file.path)));
	return found;
}
