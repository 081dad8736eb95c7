import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { encodePath } from "./checkpoint-sync.ts";
import { backoffMs, type ControlClient, messageOf, Refused } from "./client.ts";
import type { CheckpointFile, EnrollAnswer } from "./protocol.ts";
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
	for (const file of options.checkpoint.files) {
		for (let tries = 0; ; tries++) {
			options.signal.throwIfAborted();
			try {
				await fetchFile(client, { id: options.checkpoint.id, file, folder: options.folder, signal: options.signal });
				break;
			} catch (error) {
				if (error instanceof Refused) throw error;
				options.signal.throwIfAborted();
				if (tries === 2) options.log(`${file.path} of the checkpoint is fetched again: ${messageOf(error)}`);
			}
			await pause(backoffMs(tries, Math.random()), options.signal);
		}
	}
}

async function fetchFile(
	client: ControlClient,
	{ id, file, folder, signal }: { id: string; file: CheckpointFile; folder: string; signal: AbortSignal },
): Promise<void> {
	const answer = await client.fetch({
		method: "GET",
		path: `/checkpoints/${id}/${encodePath(file.path)}`,
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
