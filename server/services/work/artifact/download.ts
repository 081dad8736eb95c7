import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { OpenStore } from "#server/domain/store.ts";
import type { StorePort } from "#server/providers/store-port.ts";
import { sumOf } from "./store.ts";

/** Files of one folder of a store, with the SHA-256 that each must have. */
export interface StoredFolder {
	folder: string;
	files: readonly { path: string; sha256: string }[];
}

export interface DownloadOptions {
	signal?: AbortSignal;
	/** Mode of new folders, before the umask. Default: only this process's user. */
	mode?: number;
}

const PRIVATE = 0o700;

/**
 * Downloads folders of a store into one new folder of this host and checks each file. `target` appears only when it is complete.
 * @throws StoreError; Error for a missing or changed file; the signal's reason when aborted
 */
export async function downloadFolder(
	port: StorePort,
	from: { store: OpenStore; folders: readonly StoredFolder[] },
	target: string,
	{ signal, mode = PRIVATE }: DownloadOptions = {},
): Promise<void> {
	const half = `${target}.fetching`;
	await rm(half, { recursive: true, force: true });
	await mkdir(half, { recursive: true, mode });
	try {
		for (const { folder, files } of from.folders) {
			const paths = files.map((file) => file.path);
			await port.download(from.store, { folder, paths }, half, signal);
			for (const file of files) await assertSum(path.join(half, file.path), file.sha256);
		}
		await rename(half, target);
	} finally {
		await rm(half, { recursive: true, force: true });
	}
}

async function assertSum(file: string, sha256: string): Promise<void> {
	const found = await sumOf(file).catch(() => null);
	if (found !== sha256) throw new Error(`${path.basename(file)} is ${found === null ? "missing" : "changed"} in the store`);
}
