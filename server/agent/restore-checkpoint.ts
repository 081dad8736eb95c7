import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { encodePath } from "./checkpoint-sync.ts";
import { backoffMs, type ControlClient, messageOf, Refused } from "./client.ts";
import { artifactFilesAnswer, type CheckpointFile, type EnrollAnswer } from "./protocol.ts";
import { makeFolderInside, mustBeInside } from "./safe-path.ts";
import { pause } from "./wait.ts";

const DOWNLOAD_TIMEOUT_MS = 60 * 60_000;

/**
 * Fetches the files of a checkpoint into a folder and holds each to its sum.
 * @throws Refused; AbortError when the signal is aborted first.
 */
export async function restoreCheckpoint(
	client: ControlClient,
	options: { checkpoint: NonNullable<EnrollAnswer["checkpoint"]>; folder: string; signal: AbortSignal; log(text: string): void },
): Promise<void> {
	const { checkpoint, ...rest } = options;
	await fetchFiles(client, { from: `/checkpoints/${checkpoint.id}`, what: "the checkpoint", files: checkpoint.files, ...rest });
}

/**
 * Fetches a result of another job into a folder, and checks each file against its SHA-256.
 * @throws Refused; AbortError when the signal is aborted first.
 */
export async function fetchArtifact(
	client: ControlClient,
	options: { id: string; folder: string; signal: AbortSignal; log(text: string): void },
): Promise<void> {
	const { id, ...rest } = options;
	const from = `/artifacts/${id}`;
	const { files } = await client.call({ method: "GET", path: from, answer: artifactFilesAnswer, signal: options.signal });
	await mkdir(options.folder, { recursive: true });
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
				if (tries === 2) log(`${file.path} of ${what} is fetched again: ${messageOf(error)}`);
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
	await makeFolderInside(folder, path.dirname(target));
	await mustBeInside(folder, target);
	const hash = createHash("sha256");
	const sum = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
		for await (const chunk of source) {
			hash.update(chunk);
			yield chunk;
		}
	};
	await pipeline(chunksOf(answer), sum, createWriteStream(target), { signal });
	if (hash.digest("hex") !== file.sha256) throw new Error(`${file.path} came with another sum than it was kept with`);
}

function chunksOf(answer: Response): Readable {
	if (answer.body === null) return Readable.from([]);
	// The DOM's stream type and Node's are one object at run time.
	return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
}
