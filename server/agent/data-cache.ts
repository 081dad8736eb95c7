import { createHash, randomUUID } from "node:crypto";
import { constants, cp, mkdir, readdir, readFile, rename, rm, stat, statfs, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { KeptData } from "./fetch-data.ts";

/** Without a limit in bytes, data sets that were not used for this long are deleted. */
const KEPT_MS = 7 * 24 * 3_600_000;
/** Age after which a partial copy counts as left by a dead process. */
const HALF_DONE_MS = 24 * 3_600_000;
/** A data set is kept only if this many times its size stays free, so that the cache never fills a job's disk. */
const ROOM = 2;

/** A data set is `<hash>`, its description `<hash>.json`, a partial copy `<hash>.<uuid>`. Other files are not touched. */
const OWN_NAME = /^[0-9a-f]{40}(\.|$)/;
const DESCRIPTION = ".json";

const descriptionSchema = z.object({ uri: z.string(), bytes: z.number().nonnegative() });

/** A data set in a cache. */
export interface CachedSet {
	uri: string;
	bytes: number;
	/** Last time an attempt fetched or used it, UTC ms. */
	usedAtMs: number;
}

/** Data sets that a site fetched, by URI, so that the next attempt fetches only changes. The cache keeps its own copies. */
export class DataCache implements KeptData {
	readonly #folder: string;
	readonly #maxBytes: number | null;

	/** @param maxBytes size limit: the sets used longest ago are deleted first. null: sets are deleted by age alone */
	constructor(folder: string, maxBytes: number | null = null) {
		this.#folder = folder;
		this.#maxBytes = maxBytes;
	}

	/** Fills `target`, which must not exist yet, from the kept copy of this data set. Returns whether there was one. */
	async fill(uri: string, target: string): Promise<boolean> {
		const entry = this.#entry(uri);
		try {
			await copy(entry, target);
			await touch(entry + DESCRIPTION);
			return true;
		} catch {
			// There is none, or another process replaced it meanwhile.
			await rm(target, { recursive: true, force: true });
			return false;
		}
	}

	/** Keeps a copy of the fetched data and replaces an older one. Skipped if the disk lacks room, or the set exceeds the limit. */
	async keep(uri: string, source: string): Promise<void> {
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		await this.#prune();
		const bytes = await sizeOf(source);
		if (this.#maxBytes !== null && bytes > this.#maxBytes) return;
		await this.#evictFor(uri, bytes);
		const { bavail, bsize } = await statfs(this.#folder);
		if (bavail * bsize < ROOM * bytes) return;
		const entry = this.#entry(uri);
		const half = `${entry}.${randomUUID()}`;
		try {
			await copy(source, half);
			await this.#remove(uri);
			await rename(half, entry);
			await writeFile(entry + DESCRIPTION, JSON.stringify({ uri, bytes }), { mode: 0o600 });
		} finally {
			// Remains if another process was first.
			await rm(half, { recursive: true, force: true });
		}
	}

	/** The kept data sets, the one used longest ago first. */
	async list(): Promise<CachedSet[]> {
		const names = await readdir(this.#folder).catch(() => []);
		const sets = names
			.filter((name) => OWN_NAME.test(name) && name.endsWith(DESCRIPTION))
			.map((name) => readSet(path.join(this.#folder, name)));
		return (await Promise.all(sets)).filter((set) => set !== null).toSorted((a, b) => a.usedAtMs - b.usedAtMs);
	}

	/** Deletes what was used longest ago until the set fits into the limit. */
	async #evictFor(uri: string, bytes: number): Promise<void> {
		if (this.#maxBytes === null) return;
		const others = (await this.list()).filter((set) => set.uri !== uri);
		let total = bytes + others.reduce((sum, set) => sum + set.bytes, 0);
		for (const set of others) {
			if (total <= this.#maxBytes) return;
			await this.#remove(set.uri);
			total -= set.bytes;
		}
	}

	async #remove(uri: string): Promise<void> {
		const entry = this.#entry(uri);
		for (const file of [entry + DESCRIPTION, entry]) await rm(file, { recursive: true, force: true });
	}

	#entry(uri: string): string {
		return path.join(this.#folder, createHash("sha256").update(uri).digest("hex").slice(0, 40));
	}

	async #prune(): Promise<void> {
		for (const name of await readdir(this.#folder)) {
			if (!OWN_NAME.test(name) || name.endsWith(DESCRIPTION)) continue;
			const file = path.join(this.#folder, name);
			const isHalf = name.includes(".");
			const found = await stat(isHalf ? file : file + DESCRIPTION).catch(() => stat(file).catch(() => null));
			const keptMs = isHalf ? HALF_DONE_MS : KEPT_MS;
			if (!found || Date.now() - found.mtimeMs <= keptMs || (!isHalf && this.#maxBytes !== null)) continue;
			for (const each of [file + DESCRIPTION, file]) await rm(each, { recursive: true, force: true });
		}
	}
}

/** Null when the data set was deleted meanwhile. */
async function readSet(description: string): Promise<CachedSet | null> {
	try {
		await stat(description.slice(0, -DESCRIPTION.length));
		const { mtimeMs } = await stat(description);
		return { ...descriptionSchema.parse(JSON.parse(await readFile(description, "utf8"))), usedAtMs: mtimeMs };
	} catch {
		return null;
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

/** A data set of an earlier release has no description; its age is that of its folder. */
async function touch(file: string): Promise<void> {
	const now = new Date();
	await utimes(file, now, now).catch(() => {});
}

async function sizeOf(file: string): Promise<number> {
	const found = await stat(file);
	if (!found.isDirectory()) return found.size;
	const inside = await readdir(file, { recursive: true, withFileTypes: true });
	const sizes = await Promise.all(inside.filter((f) => f.isFile()).map((f) => stat(path.join(f.parentPath, f.name))));
	return sizes.reduce((sum, { size }) => sum + size, 0);
}
