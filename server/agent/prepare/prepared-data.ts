import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { type FetchOptions, fetchData, type KeptData } from "../fetch-data.ts";
import { listFolder } from "../folder-files.ts";

/**
 * Data sets that a machine fetched before it had a job, by address. Its job moves them to its own folder, and then fetches only what changed
 * at the source since. Data of other jobs is deleted before a command runs.
 */
export class PreparedData implements KeptData {
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	/**
	 * Fetches a data set and returns its bytes. When aborted, whole files stay for the job.
	 * @throws StagingError; the signal's reason
	 */
	async fetch(uri: string, options: Omit<FetchOptions, "cache">, signal: AbortSignal): Promise<number> {
		const entry = this.#entry(uri);
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		try {
			await fetchData(uri, entry, { ...options, cache: null }, signal);
		} catch (error) {
			if (!signal.aborted) await rm(entry, { recursive: true, force: true });
			throw error;
		}
		const found = await stat(entry);
		return found.isDirectory() ? (await listFolder(entry)).reduce((sum, { bytes }) => sum + bytes, 0) : found.size;
	}

	async fill(uri: string, target: string): Promise<boolean> {
		return rename(this.#entry(uri), target).then(
			() => true,
			() => false,
		);
	}

	/** The machine runs one job: nothing would use a copy again. */
	async keep(): Promise<void> {}

	/** Deletes all data sets but these. */
	async keepOnly(uris: readonly string[]): Promise<void> {
		const kept = new Set(uris.map((uri) => this.#entry(uri)));
		const names = await readdir(this.#folder).catch(() => []);
		for (const file of names.map((name) => path.join(this.#folder, name))) {
			if (!kept.has(file)) await rm(file, { recursive: true, force: true });
		}
	}

	#entry(uri: string): string {
		return path.join(this.#folder, createHash("sha256").update(uri).digest("hex"));
	}
}
