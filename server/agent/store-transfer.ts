import path from "node:path";
import { digestOf, type FolderFile } from "./folder-files.ts";
import type { CheckpointFile, StoreAccess } from "./protocol.ts";
import { downloadFiles, uploadFiles } from "./rclone/store-files.ts";

/** Checksums computed concurrently. More would not help, because the disk is the limit, not the processor. */
const SUMS_AT_ONCE = 4;

/** How a machine exchanges files with its team's store. */
export interface StoreMover {
	/**
	 * Returns the path of rclone.
	 * @throws StagingError if it is not available
	 */
	rclone(): Promise<string>;
	signal: AbortSignal;
	/** Whether a command is running. */
	gently?: boolean;
}

/**
 * Uploads files below `root` and computes their checksums meanwhile. Each of the two reads a file once.
 * @throws StagingError with rclone's message
 */
export async function uploadWithSums(
	root: string,
	files: readonly FolderFile[],
	access: StoreAccess,
	mover: StoreMover,
): Promise<CheckpointFile[]> {
	const transfer = { program: await mover.rclone(), remote: access, signal: mover.signal, gently: mover.gently ?? false };
	const names = files.map((file) => file.path);
	const [sums] = await Promise.all([sumAll(root, names, mover.signal), uploadFiles(root, names, transfer)]);
	return sums;
}

/**
 * Downloads files and verifies their checksums. Returns those that are missing or differ.
 * @throws StagingError if the store refuses access
 */
export async function downloadChecked(
	root: string,
	files: readonly CheckpointFile[],
	access: StoreAccess,
	mover: StoreMover,
): Promise<string[]> {
	const program = await mover.rclone();
	await downloadFiles(
		root,
		files.map((file) => file.path),
		{ program, remote: access, signal: mover.signal },
	);
	const wrong: string[] = [];
	await inParallel(files, SUMS_AT_ONCE, async (file) => {
		const found = await digestOf(path.join(root, file.path), mover.signal).catch(() => null);
		if (found?.sha256 !== file.sha256) wrong.push(file.path);
	});
	mover.signal.throwIfAborted();
	return wrong;
}

export async function sumAll(root: string, paths: readonly string[], signal: AbortSignal): Promise<CheckpointFile[]> {
	const sums = new Map<string, CheckpointFile>();
	await inParallel(paths, SUMS_AT_ONCE, async (file) => {
		sums.set(file, { path: file, ...(await digestOf(path.join(root, file), signal)) });
	});
	return paths.flatMap((file) => sums.get(file) ?? []);
}

async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
	const rest = items.values();
	const worker = async (): Promise<void> => {
		for (const item of rest) await work(item);
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
