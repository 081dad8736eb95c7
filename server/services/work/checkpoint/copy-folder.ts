import type { Dirent } from "node:fs";
import { cp, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Copies of a folder that its job is writing to; the last one stands. */
const TRIES = 4;
const PAUSE_MS = 50;

export interface CopiedFile {
	relative: string;
	bytes: number;
	changedMs: number;
}

/**
 * Files under a folder with their sizes and their last change; an absent folder is empty.
 * @throws Error for one that cannot be read: taken for an empty one, its checkpoint would be lost in silence
 */
export async function listFiles(folder: string): Promise<CopiedFile[]> {
	const entries = await entriesOf(folder);
	const names = entries.filter((e) => e.isFile()).map((e) => path.join(e.parentPath, e.name));
	const found = await Promise.all(
		names.map(async (file) => {
			const s = await stat(file).catch(nullIfMissing);
			return s ? [{ relative: path.relative(folder, file), bytes: s.size, changedMs: s.mtimeMs }] : [];
		}),
	);
	return found.flat().sort((a, b) => (a.relative < b.relative ? -1 : 1));
}

/** A folder below it that vanishes meanwhile ends the whole listing: then it is made again, rather than taken for an empty one. */
async function entriesOf(folder: string): Promise<Dirent[]> {
	for (let tries = 1; ; tries++) {
		try {
			return await readdir(folder, { recursive: true, withFileTypes: true });
		} catch (error) {
			if (!isMissing(error)) {
				const why = error instanceof Error ? error.message : String(error);
				throw new Error(`could not list the folder ${folder} (${why}); check that it is a folder that Spillway can read`, {
					cause: error,
				});
			}
			if ((await stat(folder).catch(nullIfMissing)) === null) return [];
			if (tries === TRIES) throw error;
		}
	}
}

/**
 * Copies a folder that its job may be writing to: again when files came, went or changed meanwhile, so that a copy is of one
 * moment. Of a folder that never holds still the last copy stands. Answers the files that were copied; `to` is there only when there
 * are any.
 * @throws Error when a file vanished under each try
 */
export async function copyFolder(from: string, to: string): Promise<CopiedFile[]> {
	for (let tries = 1; ; tries++) {
		const files = await listFiles(from);
		if (files.length === 0) return [];
		try {
			await cp(from, to, { recursive: true, preserveTimestamps: true });
			if (tries === TRIES || sameFiles(files, await listFiles(from))) return await listFiles(to);
		} catch (error) {
			if (!isMissing(error) || tries === TRIES) throw error;
		}
		// What this try has copied and the next one does not meet must not stay.
		await rm(to, { recursive: true, force: true });
		await sleep(PAUSE_MS * tries);
	}
}

function sameFiles(a: readonly CopiedFile[], b: readonly CopiedFile[]): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** A job may delete and rename its files while we look. */
function nullIfMissing(error: unknown): null {
	if (isMissing(error)) return null;
	throw error;
}
