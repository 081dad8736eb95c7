import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { StoreRemote } from "#server/domain/store.ts";
import { StagingError } from "../safe-path.ts";
import { runRclone } from "./run.ts";

/** How files move between a folder of this host and a store. */
export interface StoreTransfer {
	/** Path of rclone. */
	program: string;
	remote: StoreRemote;
	signal?: AbortSignal | undefined;
	/** Whether a command is running. Then fewer files are moved concurrently, at the lowest processor priority. */
	gently?: boolean;
	onBytes?(bytes: number): void;
}

/** Objects larger than one part are sent in concurrent parts. */
const PARTS = ["--s3-upload-concurrency=4", "--s3-chunk-size=16M", "--s3-no-check-bucket", "--azureblob-upload-concurrency=4"];
/** Manifests contain the SHA-256 of each file, so rclone need not read large files again for an MD5 before it sends them. */
const OWN_SUMS = ["--s3-disable-checksum", "--azureblob-disable-checksum"];
const GENTLE = ["--transfers=2", "--checkers=4"];

/**
 * Copies files below `root` to the same paths below the remote's. A file that the store has with equal size and time is skipped, so
 * that a repeated call continues. @throws StagingError with rclone's message
 */
export function uploadFiles(root: string, paths: readonly string[], transfer: StoreTransfer): Promise<void> {
	return copyListed(root, `store:${transfer.remote.path}`, paths, transfer, ["--no-traverse", ...OWN_SUMS]);
}

/** Copies files below the remote's path to the same paths below `root`. @throws StagingError with rclone's message */
export function downloadFiles(root: string, paths: readonly string[], transfer: StoreTransfer): Promise<void> {
	return copyListed(`store:${transfer.remote.path}`, root, paths, transfer, ["--no-traverse", "--ignore-times"]);
}

async function copyListed(
	from: string,
	to: string,
	paths: readonly string[],
	{ program, remote, signal, gently = false, onBytes }: StoreTransfer,
	more: readonly string[],
): Promise<void> {
	if (paths.length === 0) return;
	// The list has one path per line, so paths must not contain line breaks.
	const broken = paths.find((file) => /[\r\n]/.test(file));
	if (broken !== undefined) throw new StagingError(`the path ${JSON.stringify(broken)} has a line break`);
	const tmpFolder = await mkdtemp(path.join(tmpdir(), "spillway-store-"));
	try {
		const list = path.join(tmpFolder, "files");
		await writeFile(list, paths.join("\n"), { mode: 0o600 });
		const args = ["copy", from, to, `--files-from-raw=${list}`, ...more, ...PARTS];
		await runRclone(
			args,
			{ store: remote.options },
			{
				...{ program, tmpFolder, after: gently ? GENTLE : [], nice: gently },
				...(signal && { signal }),
				onProgress: ({ bytes }) => onBytes?.(bytes),
			},
		);
	} finally {
		await rm(tmpFolder, { recursive: true, force: true });
	}
}
