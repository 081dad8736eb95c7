import { createReadStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { fitsBeforeEnd, newestStep } from "#server/domain/checkpoint.ts";
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
import { forgetOnRefusal, freshBytes, type KnownShards, uploadShards } from "./shard-upload.ts";
import { pause } from "./wait.ts";

/** Tries at a folder that the job is writing to; then the next interval has its turn. */
const TRIES = 4;
const UPLOAD_TIMEOUT_MS = 60 * 60_000;

/** The job wrote to the folder while it was read. */
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
	/** A command runs meanwhile. */
	gently?: boolean;
	/** Time until the machine ends; null: not known. */
	leftMs?: number | null;
}

/** Keeps the job's checkpoint folder in its team's store, or the control plane's: whole or not at all. */
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
	 * `restored`: what the folder holds at the start, which need not be uploaded. `allRanks`: this is one of several machines that save
	 * the shards of a step together.
	 */
	constructor(options: CheckpointSyncOptions) {
		this.#allRanks = options.allRanks ?? false;
		this.#rclone = options.rclone ?? (() => rcloneOfInstance(options.log, new AbortController().signal));
		this.#client = options.client;
		this.#folder = options.folder;
		this.#kept = options.restored;
		this.#log = options.log;
	}

	/** Uploads whenever the folder has changed since the last time, until the signal is aborted. */
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
	 * Uploads the folder when it has changed. Answers the checkpoint's id, or null when there was nothing new.
	 * @throws Error when the signal was aborted, the control plane refused, or the job kept writing.
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
		demandFit(found);
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
			throw new FolderMoved("the job wrote to its checkpoint folder meanwhile");
		await this.#client.call({ method: "POST", path: `/checkpoints/${id}/commit`, json: { files }, answer: doneAnswer, signal });
		this.#kept = signature;
		this.#log(`checkpoint ${id} kept: ${files.length} files, ${files.reduce((sum, f) => sum + f.bytes, 0)} bytes`);
		return id;
	}

	/** The files to save; of a gang where all ranks save, those of the newest step. */
	async #list(): Promise<{ found: FolderFile[]; step: number | null }> {
		const found = await listFolder(this.#folder);
		if (!this.#allRanks) return { found, step: null };
		const newest = newestStep(found.map((file) => file.path));
		if (newest === null) return { found: [], step: null };
		return { found: found.filter((file) => file.path.startsWith(`${newest.folder}/`)), step: newest.step };
	}

	/** On a stop notice, what cannot arrive in time is not begun: the newest complete checkpoint counts. */
	#fits(found: readonly FolderFile[], { leftMs = null }: UploadOptions): boolean {
		const bytes = freshBytes(found, this.#known);
		if (fitsBeforeEnd({ bytes, bytesPerMs: this.#bytesPerMs, leftMs })) return true;
		const needMs = bytes / (this.#bytesPerMs ?? 1);
		this.#log(
			`the last checkpoint needs ${Math.round(needMs / 1_000)} s at the measured speed, and ${Math.round((leftMs ?? 0) / 1_000)} s are left: the newest one before it counts`,
		);
		return false;
	}

	async #sendToStore(
		begun: NewCheckpointAnswer & { store: NonNullable<NewCheckpointAnswer["store"]> },
		files: readonly FolderFile[],
		signature: string,
		{ signal, options, step }: { signal: AbortSignal; options: UploadOptions; step: number | null },
	): Promise<string> {
		const demandStill = async (): Promise<void> => {
			const { found, step: now } = await this.#list();
			// A newer step does not change the files of this one.
			if (now === step && signatureOf(found) !== signature) throw new FolderMoved("the job wrote to its checkpoint folder meanwhile");
		};
		const mover = { rclone: this.#rclone, signal, gently: options.gently ?? false };
		try {
			const done = await uploadShards(begun, { client: this.#client, root: this.#folder, files, known: this.#known, demandStill, mover });
			if (done.sentBytes > 0) this.#bytesPerMs = done.sentBytes / Math.max(1, done.sentMs);
			this.#kept = signature;
			const whole = done.complete ? "complete" : "saved by this rank; other ranks follow";
			this.#log(
				`checkpoint ${begun.id} ${whole}: ${done.files} files, ${done.sentBytes} bytes sent in ${(done.sentMs / 1_000).toFixed(1)} s`,
			);
			return begun.id;
		} catch (error) {
			forgetOnRefusal(error, this.#known, this.#log);
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
