import { createHash, randomUUID } from "node:crypto";
import { constants, cp, mkdir, readdir, rename, rm, stat, statfs, utimes } from "node:fs/promises";
import path from "node:path";
import type { KeptData } from "./fetch-data.ts";

/** Data sets that were not used for this long are deleted. */
const KEPT_MS = 7 * 24 * 3_600_000;
/** Age after which a partial copy counts as left by a dead process. */
const HALF_DONE_MS = 24 * 3_600_000;
/** A data set is kept only if this many times its size stays free, so that the cache never fills a job's disk. */
const ROOM = 2;

/** Data sets that a site fetched, by URI, so that the next attempt fetches only changes. The cache keeps its own copies. */
export class DataCache implements KeptData {
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Fills `target`, which must not exist yet, from the kept copy of this data set. Returns whether there was one. */
	async fill(uri: string, target: string): Promise<boolean> {
		const entry = this.#entry(uri);
		try {
			await copy(entry, target);
			await touch(entry);
			return true;
		} catch {
			// There is none, or another process replaced it meanwhile.
			await rm(target, { recursive: true, force: true });
			return false;
		}
	}

	/** Keeps a copy of the fetched data and replaces an older one. Skipped if the disk lacks room. */
	async keep(uri: string, source: string): Promise<void> {
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		await this.#prune();
		const { bavail, bsize } = await statfs(this.#folder);
		if (bavail * bsize < ROOM * (await sizeOf(source))) return;
		const entry = this.#entry(uri);
		const half = `${entry}.${randomUUID()}`;
		try {
			await copy(source, half);
			await touch(half);
			await rm(entry, { recursive: true, force: true });
			await rename(half, entry);
		} finally {
			// Remains if another process was first.
			await rm(half, { recursive: true, force: true });
		}
	}

	#entry(uri: string): string {
		return path.join(this.#folder, createHash("sha256").update(uri).digest("hex").slice(0, 40));
	}

	async #prune(): Promise<void> {
		for (const name of await readdir(this.#folder)) {
			const file = path.join(this.#folder, name);
			const found = await stat(file).catch(() => null);
			const keptMs = name.includes(".") ? HALF_DONE_MS : KEPT_MS;
			if (found && Date.now() - found.mtimeMs > keptMs) await rm(file, { recursive: true, force: true });
		}
	}
}

function copy(from: string, to: string): Promise<void> {
	// rclone detects unchanged files by their times.
	return cp(from, to, {
		recursive: true,
		verbatimSymlinks: true,
		preserveTimestamps: true,
		mode: constants.COPYFILE_FICLONE,
		errorOnExist: true,
	});
}

async function touch(file: string): Promise<void> {
	// A file's modification time shows whether it changed at its source.
	if ((await stat(file)).isFile()) return;
	const now = new Date();
	await utimes(file, now, now);
}

async function sizeOf(file: string): Promise<number> {
	const found = await stat(file);
	if (!found.isDirectory()) return found.size;
	const inside = await readdir(file, { recursive: true, withFileTypes: true });
	const sizes = await Promise.all(inside.filter((f) => f.isFile()).map((f) => stat(path.join(f.parentPath, f.name))));
	return sizes.reduce((sum, { size }) => sum + size, 0);
}
