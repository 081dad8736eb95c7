import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { encodePath } from "./checkpoint-sync.ts";
import { backoffMs, type ControlClient, messageOf, Refused } from "./client.ts";
import { artifactFilesAnswer, brokenCheckpointAnswer, type CheckpointFile, type Restorable, type ShardFile } from "./protocol.ts";
import { createFolderInside, mustBeInside } from "./safe-path.ts";
import { downloadChecked } from "./store-transfer.ts";
import { pause } from "./wait.ts";

const DOWNLOAD_TIMEOUT_MS = 60 * 60_000;

/**
 * Downloads the files of a checkpoint into a folder and verifies each checksum. An incomplete checkpoint in a store is reported,
 * and the one before it is restored. Returns the restored one, or null if none is left.
 * @throws Refused; AbortError if the signal is aborted first
 */
export async function restoreCheckpoint(client: ControlClient, options: RestoreOptions): Promise<Restorable | null> {
	const { rank: _, own: __, rclone: ___, ...rest } = options;
	for (let checkpoint: Restorable | null = options.checkpoint; checkpoint !== null; ) {
		if (!checkpoint.store) {
			await fetchFiles(client, { from: `/checkpoints/${checkpoint.id}`, what: "the checkpoint", files: checkpoint.files, ...rest });
			return checkpoint;
		}
		const problem = await restoreFromStore({ ...checkpoint, store: checkpoint.store }, options);
		if (problem === null) return checkpoint;
		options.log(`checkpoint ${checkpoint.id} is incomplete (${problem}); restoring the previous one`);
		await emptyFolder(options.folder);
		checkpoint = await reportBroken(client, checkpoint.id, problem, options.signal);
	}
	options.log("no complete checkpoint left: the job starts from the beginning");
	return null;
}

async function reportBroken(client: ControlClient, id: string, problem: string, signal: AbortSignal): Promise<Restorable | null> {
	const call = { method: "POST" as const, path: `/checkpoints/${id}/broken`, json: { problem }, answer: brokenCheckpointAnswer, signal };
	return (await client.call(call)).next;
}

interface RestoreOptions {
	checkpoint: Restorable;
	folder: string;
	/** Download only this rank's shards. */
	own?: boolean;
	rank?: number;
	/**
	 * Returns the path of rclone.
	 * @throws StagingError if it is not available
	 */
	rclone(): Promise<string>;
	signal: AbortSignal;
	log(text: string): void;
}

/**
 * Downloads the shards of all ranks, or of this one. Returns what is missing or has a different checksum, or null if it is
 * complete.
 */
async function restoreFromStore(
	checkpoint: Restorable & { store: NonNullable<Restorable["store"]> },
	options: RestoreOptions,
): Promise<string | null> {
	const { parts, access } = checkpoint.store;
	const { folder, own = false, rank = 0 } = options;
	await mkdir(folder, { recursive: true });
	const wanted = new Map<string, ShardFile>();
	// Several ranks saved a file under one name: each machine restores its own.
	for (const part of [...parts].sort((a, b) => Number(a.rank === rank) - Number(b.rank === rank)))
		if (!own || part.rank === rank) for (const file of part.files) wanted.set(file.path, file);
	const byFolder = Map.groupBy(wanted.values(), (file) => file.from);
	const wrong = await Promise.all(
		[...byFolder].map(([from, files]) => downloadChecked(folder, files, { ...access, path: `${access.path}/${from}` }, options)),
	);
	const names = wrong.flat();
	return names.length === 0 ? null : `missing or changed: ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
}

async function emptyFolder(folder: string): Promise<void> {
	for (const name of await readdir(folder).catch(() => [])) await rm(path.join(folder, name), { recursive: true, force: true });
}

/**
 * Downloads a result of another job into a folder, and verifies the SHA-256 of each file.
 * @throws Refused; AbortError if the signal is aborted first
 */
export async function fetchArtifact(
	client: ControlClient,
	options: { id: string; folder: string; rclone(): Promise<string>; signal: AbortSignal; log(text: string): void },
): Promise<void> {
	const { id, rclone, ...rest } = options;
	const from = `/artifacts/${id}`;
	const { files, store } = await client.call({ method: "GET", path: from, answer: artifactFilesAnswer, signal: options.signal });
	await mkdir(options.folder, { recursive: true });
	if (store) {
		const wrong = await downloadChecked(options.folder, files, store, { rclone, signal: options.signal });
		if (wrong.length > 0) throw new Error(`result ${id} is incomplete in its store: ${wrong.slice(0, 3).join(", ")}`);
		return;
	}
	await fetchFiles(client, { from, what: `result ${id}`, files, ...rest });
}

interface Fetching {
	/** Path of the files at the control plane. */
	from: string;
	what: string;
	files: readonly CheckpointFile[];
	folder: string;
	signal: AbortSignal;
	log(text: string): void;
}

async function fetchFiles(client: ControlClient, { from, what, files, folder, signal, log }: Fetching): Promise<void> {
	for (const file of files) {
		for (let tries = 0; ; tries++) {
			signal.throwIfAborted();
			try {
				await fetchFile(client, { from, file, folder, signal });
				break;
			} catch (error) {
				if (error instanceof Refused) throw error;
				signal.throwIfAborted();
				if (tries === 2) log(`downloading ${file.path} of ${what} again: ${messageOf(error)}`);
			}
			await pause(backoffMs(tries, Math.random()), signal);
		}
	}
}

async function fetchFile(
	client: ControlClient,
	{ from, file, folder, signal }: Pick<Fetching, "from" | "folder" | "signal"> & { file: CheckpointFile },
): Promise<void> {
	const answer = await client.fetch({
		method: "GET",
		path: `${from}/${encodePath(file.path)}`,
		signal,
		timeoutMs: DOWNLOAD_TIMEOUT_MS,
	});
	const target = path.join(folder, file.path);
	await createFolderInside(folder, path.dirname(target));
	await mustBeInside(folder, target);
	const hash = createHash("sha256");
	const sum = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
		for await (const chunk of source) {
			hash.update(chunk);
			yield chunk;
		}
	};
	await pipeline(chunksOf(answer), sum, createWriteStream(target), { signal });
	if (hash.digest("hex") !== file.sha256) throw new Error(`${file.path} does not match its checksum`);
}

function chunksOf(answer: Response): Readable {
	if (answer.body === null) return Readable.from([]);
	// The DOM's stream type and Node's are the same object at run time.
	return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
}
