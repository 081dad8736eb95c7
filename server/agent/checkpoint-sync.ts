import { createReadStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { fitsBeforeEnd, newestStep } from "#server/domain/checkpoint.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { type ControlClient, messageOf, Refused } from "./client.ts";
import { digestOf, type FolderFile, listFolder, signatureOf } from "./folder-files.ts";
import {
	AGENT_LIMITS,
	type CheckpointFile,
	doneAnswer,
	type NewCheckpointAnswer,
	newCheckpointAnswer,
	pathProblem,
	SHA256_HEADER,
} from "./protocol.ts";
import { rcloneOfInstance } from "./rclone/find.ts";
import { clearOnRejection, freshBytes, type KnownShards, uploadShards } from "./shard-upload.ts";
import { pause } from "./wait.ts";

/** Attempts to read a folder while the job writes to it. After that, the next interval tries again. */
const TRIES = 4;
const UPLOAD_TIMEOUT_MS = 60 * 60_000;

/** The job wrote to the folder while it was being read. */
class FolderMoved extends Error {
	override name = "FolderMoved";
}

interface CheckpointSyncOptions {
	client: ControlClient;
	folder: string;
	restored: string;
	allRanks?: boolean;
	rclone?(): Promise<string>;
	log(text: string): void;
}

interface UploadOptions {
	/** Whether the command is running. */
	gently?: boolean;
	/** Milliseconds until the machine ends; null if unknown. */
	leftMs?: number | null;
}

/** Saves the job's checkpoint folder in its team's store or at the control plane. A checkpoint is stored whole or not at all. */
export class CheckpointSync {
	readonly #client: ControlClient;
	readonly #folder: string;
	readonly #log: (text: string) => void;
	readonly #allRanks: boolean;
	readonly #rclone: () => Promise<string>;
	readonly #known: KnownShards = new Map();
	/** Upload speed of this attempt so far; null before the first upload to a store. */
	#bytesPerMs: number | null = null;
	#kept: string;
	#running: Promise<unknown> = Promise.resolve();

	/**
	 * `restored`: signature of the folder at the start, which need not be uploaded. `allRanks`: whether this is one of several
	 * machines that save the shards of a step together.
	 */
	constructor(options: CheckpointSyncOptions) {
		this.#allRanks = options.allRanks ?? false;
		this.#rclone = options.rclone ?? (() => rcloneOfInstance(options.log, new AbortController().signal));
		this.#client = options.client;
		this.#folder = options.folder;
		this.#kept = options.restored;
		this.#log = options.log;
	}

	/** Uploads the folder at each interval if it has changed, until the signal is aborted. */
	async runOnInterval(intervalMs: number, signal: AbortSignal): Promise<void> {
		while (await pause(intervalMs, signal)) {
			try {
				await this.upload(signal, { gently: true });
			} catch (error) {
				if (!signal.aborted) this.#log(`the checkpoint could not be uploaded: ${messageOf(error)}`);
			}
		}
	}

	/**
	 * Uploads the folder if it has changed. Returns the checkpoint's id, or null if nothing changed.
	 * @throws Error if the signal was aborted, the control plane rejected the upload, or the job kept writing
	 */
	upload(signal: AbortSignal, options: UploadOptions = {}): Promise<string | null> {
		const next = this.#running.catch(() => {}).then(() => this.#uploadNow(signal, options));
		this.#running = next;
		return next;
	}

	async #uploadNow(signal: AbortSignal, options: UploadOptions): Promise<string | null> {
		for (let tries = 1; ; tries++) {
			signal.throwIfAborted();
			try {
				return await this.#uploadOnce(signal, options);
			} catch (error) {
				const moved = error instanceof FolderMoved || isMissing(error);
				if (!moved || tries === TRIES) throw error;
			}
			await pause(200 * tries, signal);
		}
	}

	async #uploadOnce(signal: AbortSignal, options: UploadOptions): Promise<string | null> {
		const { found, step } = await this.#list();
		const signature = signatureOf(found);
		if (found.length === 0 || signature === this.#kept) return null;
		requireAllowedFiles(found);
		if (!this.#fits(found, options)) return null;
		const begun = await this.#client.call({
			...{ method: "POST" as const, path: "/checkpoints", json: step === null ? {} : { step }, answer: newCheckpointAnswer, signal },
		});
		if (begun.store) return this.#sendToStore({ ...begun, store: begun.store }, found, signature, { signal, options, step });
		const { id } = begun;
		const files: CheckpointFile[] = [];
		for (const file of found) files.push({ path: file.path, ...(await digestOf(path.join(this.#folder, file.path), signal)) });
		for (const file of files) await this.#put(id, file, signal);
		if (signatureOf(await listFolder(this.#folder)) !== signature)
			throw new FolderMoved("the job wrote to its checkpoint folder during the upload");
		await this.#client.call({ method: "POST", path: `/checkpoints/${id}/commit`, json: { files }, answer: doneAnswer, signal });
		this.#kept = signature;
		this.#log(`checkpoint ${id} saved: ${plural(files.length, "file")}, ${files.reduce((sum, f) => sum + f.bytes, 0)} bytes`);
		return id;
	}

	/** Returns the files to save. If all ranks of a gang save, only those of the newest step. */
	async #list(): Promise<{ found: FolderFile[]; step: number | null }> {
		const found = await listFolder(this.#folder);
		if (!this.#allRanks) return { found, step: null };
		const newest = newestStep(found.map((file) => file.path));
		if (newest === null) return { found: [], step: null };
		return { found: found.filter((file) => file.path.startsWith(`${newest.folder}/`)), step: newest.step };
	}

	/** After a stop notice, do not start an upload that cannot finish in time; the latest complete checkpoint remains valid. */
	#fits(found: readonly FolderFile[], { leftMs = null }: UploadOptions): boolean {
		const bytes = freshBytes(found, this.#known);
		if (fitsBeforeEnd({ bytes, bytesPerMs: this.#bytesPerMs, leftMs })) return true;
		const needMs = bytes / (this.#bytesPerMs ?? 1);
		this.#log(
			`not uploading the last checkpoint: it needs ${Math.round(needMs / 1_000)} s at the measured speed, and ${Math.round((leftMs ?? 0) / 1_000)} s are left. The previous checkpoint is used`,
		);
		return false;
	}

	async #sendToStore(
		begun: NewCheckpointAnswer & { store: NonNullable<NewCheckpointAnswer["store"]> },
		files: readonly FolderFile[],
		signature: string,
		{ signal, options, step }: { signal: AbortSignal; options: UploadOptions; step: number | null },
	): Promise<string> {
		const requireUnchanged = async (): Promise<void> => {
			const { found, step: now } = await this.#list();
			// A newer step does not change the files of this one.
			if (now === step && signatureOf(found) !== signature)
				throw new FolderMoved("the job wrote to its checkpoint folder during the upload");
		};
		const mover = { rclone: this.#rclone, signal, gently: options.gently ?? false };
		try {
			const done = await uploadShards(begun, {
				client: this.#client,
				root: this.#folder,
				files,
				known: this.#known,
				requireUnchanged,
				mover,
			});
			if (done.sentBytes > 0) this.#bytesPerMs = done.sentBytes / Math.max(1, done.sentMs);
			this.#kept = signature;
			const whole = done.complete ? "complete" : "saved by this rank; other ranks still uploading";
			this.#log(
				`checkpoint ${begun.id} ${whole}: ${plural(done.files, "file")}, ${done.sentBytes} bytes sent in ${(done.sentMs / 1_000).toFixed(1)} s`,
			);
			return begun.id;
		} catch (error) {
			clearOnRejection(error, this.#known, this.#log);
			throw error;
		}
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
			// The bytes do not match the checksum: the job has written to the file since it was computed.
			if (error instanceof Refused && error.problem.code === "precondition_failed") throw new FolderMoved(error.message);
			throw error;
		}
	}
}

/** @throws Error before anything is sent, for files that the control plane would reject */
function requireAllowedFiles(files: readonly FolderFile[]): void {
	const { checkpointFiles, checkpointFileBytes } = AGENT_LIMITS;
	if (files.length > checkpointFiles)
		throw new Error(`a checkpoint may have at most ${checkpointFiles} files; the folder has ${files.length}`);
	for (const file of files) {
		const problem = pathProblem(file.path) ?? (file.bytes > checkpointFileBytes ? `has more than ${checkpointFileBytes} bytes` : null);
		if (problem !== null) throw new Error(`cannot save the checkpoint file ${JSON.stringify(file.path)}: it ${problem}`);
	}
}

export function encodePath(relative: string): string {
	return relative.split("/").map(encodeURIComponent).join("/");
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Node's web streams and the DOM's differ only in their types. */
function toWeb(stream: Readable): ReadableStream<Uint8Array> {
	return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
