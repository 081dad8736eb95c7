import type { Dirent } from "node:fs";
import { cp, readdir, realpath, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Number of times to copy a folder that its job is writing to; the last copy is used. */
const TRIES = 4;
const PAUSE_MS = 50;

export interface CopiedFile {
	relative: string;
	bytes: number;
	changedMs: number;
}

/**
 * Rejects an attempt's folder that its job replaced with a symbolic link: Spillway may read what the job may not. The folder of every
 * attempt on a cluster is named after it, so a path with its links resolved still contains the name. An absent folder passes.
 * @throws Error
 */
export async function mustBelongTo(attemptId: string, folder: string): Promise<void> {
	const real = await realpath(folder).catch(nullIfMissing);
	if (real === null || real.split(path.sep).includes(attemptId)) return;
	throw new Error(`the checkpoint folder leads out of the attempt's folder through a symbolic link (to ${real})`);
}

/**
 * Files under a folder with their sizes and modification times; an absent folder is empty.
 * @throws Error for an unreadable folder: treating it as empty would silently lose its checkpoint
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

/** A subfolder that vanishes during the listing fails the whole listing. Repeat it rather than treat the folder as empty. */
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
 * Copies a folder that its job may be writing to. Repeats when files were added, removed or changed meanwhile, so that a copy shows one
 * moment. If the folder keeps changing, the last copy is used. Returns the copied files; `to` exists only when there are any.
 * @throws Error when a file vanished in every try
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
		// Remove files copied in this try, since they may not exist in the next.
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

/** A job may delete and rename its files during the listing. */
function nullIfMissing(error: unknown): null {
	if (isMissing(error)) return null;
	throw error;
}
