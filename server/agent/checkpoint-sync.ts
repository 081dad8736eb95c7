import { createReadStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { type ControlClient, messageOf, Refused } from "./client.ts";
import { digestOf, type FolderFile, listFolder, signatureOf } from "./folder-files.ts";
import { AGENT_LIMITS, type CheckpointFile, doneAnswer, newCheckpointAnswer, pathProblem, SHA256_HEADER } from "./protocol.ts";
import { pause } from "./wait.ts";

/** Tries at a folder that the job is writing to; then the next interval has its turn. */
const TRIES = 4;
const UPLOAD_TIMEOUT_MS = 60 * 60_000;

/** The job wrote to the folder while it was read. */
class FolderMoved extends Error {
	override name = "FolderMoved";
}

/** Keeps the job's checkpoint folder in the control plane's store, whole or not at all. */
export class CheckpointSync {
	readonly #client: ControlClient;
	readonly #folder: string;
	readonly #log: (text: string) => void;
	#kept: string;
	#running: Promise<unknown> = Promise.resolve();

	/** `restored`: what the folder holds at the start, which need not be uploaded. */
	constructor(options: { client: ControlClient; folder: string; restored: string; log(text: string): void }) {
		this.#client = options.client;
		this.#folder = options.folder;
		this.#kept = options.restored;
		this.#log = options.log;
	}

	/** Uploads whenever the folder has changed since the last time, until the signal is aborted. */
	async runOnInterval(intervalMs: number, signal: AbortSignal): Promise<void> {
		while (await pause(intervalMs, signal)) {
			try {
				await this.upload(signal);
			} catch (error) {
				if (!signal.aborted) this.#log(`the checkpoint could not be uploaded: ${messageOf(error)}`);
			}
		}
	}

	/**
	 * Uploads the folder when it has changed. Answers the checkpoint's id, or null when there was nothing new.
	 * @throws Error when the signal was aborted, the control plane refused, or the job kept writing.
	 */
	upload(signal: AbortSignal): Promise<string | null> {
		const next = this.#running.catch(() => {}).then(() => this.#uploadNow(signal));
		this.#running = next;
		return next;
	}

	async #uploadNow(signal: AbortSignal): Promise<string | null> {
		for (let tries = 1; ; tries++) {
			signal.throwIfAborted();
			try {
				return await this.#uploadOnce(signal);
			} catch (error) {
				const moved = error instanceof FolderMoved || isMissing(error);
				if (!moved || tries === TRIES) throw error;
			}
			await pause(200 * tries, signal);
		}
	}

	async #uploadOnce(signal: AbortSignal): Promise<string | null> {
		const found = await listFolder(this.#folder);
		const signature = signatureOf(found);
		if (found.length === 0 || signature === this.#kept) return null;
		demandFit(found);
		const files: CheckpointFile[] = [];
		for (const file of found) files.push({ path: file.path, ...(await digestOf(path.join(this.#folder, file.path), signal)) });
		const { id } = await this.#client.call({ method: "POST", path: "/checkpoints", json: {}, answer: newCheckpointAnswer, signal });
		for (const file of files) await this.#put(id, file, signal);
		if (signatureOf(await listFolder(this.#folder)) !== signature)
			throw new FolderMoved("the job wrote to its checkpoint folder meanwhile");
		await this.#client.call({ method: "POST", path: `/checkpoints/${id}/commit`, json: { files }, answer: doneAnswer, signal });
		this.#kept = signature;
		this.#log(`checkpoint ${id} kept: ${files.length} files, ${files.reduce((sum, f) => sum + f.bytes, 0)} bytes`);
		return id;
	}

	async #put(id: string, file: CheckpointFile, signal: AbortSignal): Promise<void> {
		try {
			await this.#client.call({
				method: "PUT",
				path: `/checkpoints/${id}/${encodePath(file.path)}`,
				body: () => toWeb(createReadStream(path.join(this.#folder, file.path))),
				headers: { [SHA256_HEADER]: file.sha256 },
				answer: doneAnswer,
				signal,
				timeoutMs: UPLOAD_TIMEOUT_MS,
			});
		} catch (error) {
			// The bytes are not those that were summed up: the job has written to the file since.
			if (error instanceof Refused && error.problem.code === "precondition_failed") throw new FolderMoved(error.message);
			throw error;
		}
	}
}

/** @throws Error for what the control plane would refuse, before anything is sent. */
function demandFit(files: readonly FolderFile[]): void {
	const { checkpointFiles, checkpointFileBytes } = AGENT_LIMITS;
	if (files.length > checkpointFiles) throw new Error(`a checkpoint may have ${checkpointFiles} files; the folder has ${files.length}`);
	for (const file of files) {
		const problem = pathProblem(file.path) ?? (file.bytes > checkpointFileBytes ? `has more than ${checkpointFileBytes} bytes` : null);
		if (problem !== null) throw new Error(`the file ${JSON.stringify(file.path)} of the checkpoint cannot be kept: it ${problem}`);
	}
}

export function encodePath(relative: string): string {
	return relative.split("/").map(encodeURIComponent).join("/");
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Node's own streams of the web; the DOM's type of the same object differs in name alone. */
function toWeb(stream: Readable): ReadableStream<Uint8Array> {
	return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
