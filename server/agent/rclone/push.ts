import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { dataAddressOf } from "#server/domain/data-address.ts";
import type { DataRemotes } from "#server/domain/data-remotes.ts";
import { StagingError } from "../safe-path.ts";
import { environmentOf, type NamedRemotes, runRclone } from "./run.ts";
import { rcloneSourceOf } from "./source.ts";

/** What is needed to copy from one store to another through our own host. */
export interface PushOptions {
	remotes: DataRemotes;
	/**
	 * Returns the path of rclone.
	 * @throws StagingError if it is not available
	 */
	rclone(): Promise<string>;
	signal: AbortSignal;
	/** Whether files at the target that the source does not have are deleted; true by default. */
	deletesOthers?: boolean;
	/** Called with the number of bytes moved so far. */
	onBytes?(bytes: number): void;
}

/**
 * Makes `toUri` match `fromUri`, a file or a folder's content. Moves only what differs, and deletes what no longer exists unless
 * `deletesOthers` is false. rclone checks each file's size, and its checksum if both stores have one. Links in a folder of this
 * host are errors. Returns the number of bytes moved.
 * @throws StagingError; the signal's reason when aborted
 */
export function pushData(fromUri: string, toUri: string, options: PushOptions): Promise<{ bytes: number }> {
	return withRclone(options, async (program, tmpFolder) => {
		const [from, to] = [endOf("source", fromUri, options.remotes), endOf("target", toUri, options.remotes)];
		const remotes = { ...from.remotes, ...to.remotes };
		const isFolder = await isDirectory(program, from, tmpFolder, options.signal);
		let bytes = 0;
		const folderCommand = options.deletesOthers === false ? "copy" : "sync";
		await runRclone([isFolder ? folderCommand : "copyto", from.path, to.path], remotes, {
			...{ program, tmpFolder, signal: options.signal, linksAreErrors: true },
			onProgress: (progress) => {
				bytes = progress.bytes;
				options.onBytes?.(bytes);
			},
		});
		return { bytes };
	});
}

/**
 * Total size of the files at an address of a store, in bytes. Cost: lists all of them.
 * @throws StagingError
 */
export function sizeOfData(uri: string, options: PushOptions): Promise<number> {
	return withRclone(options, async (program, tmpFolder) => {
		const { bytes } = await readJson(program, ["size", "--json"], endOf("target", uri, options.remotes), tmpFolder, options.signal);
		if (typeof bytes !== "number" || bytes < 0) throw new StagingError(`rclone did not report the size of ${uri}`);
		return bytes;
	});
}

/**
 * Deletes everything at an address. Nothing there is no error.
 * @throws StagingError
 */
export function deleteData(uri: string, options: PushOptions): Promise<void> {
	return withRclone(options, async (program, tmpFolder) => {
		const at = endOf("target", uri, options.remotes);
		try {
			const isFolder = await isDirectory(program, at, tmpFolder, options.signal);
			await runRclone([isFolder ? "purge" : "deletefile", at.path], at.remotes, { program, tmpFolder, signal: options.signal });
		} catch (error) {
			if (!(error instanceof StagingError && /not found/.test(error.message))) throw error;
		}
	});
}

async function withRclone<T>(options: PushOptions, work: (program: string, tmpFolder: string) => Promise<T>): Promise<T> {
	const program = await options.rclone();
	const tmpFolder = await mkdtemp(path.join(tmpdir(), "spillway-rclone-"));
	try {
		return await work(program, tmpFolder);
	} finally {
		await rm(tmpFolder, { recursive: true, force: true });
	}
}

interface End {
	/** In rclone's notation. */
	path: string;
	remotes: NamedRemotes;
}

function endOf(name: "source" | "target", uri: string, known: DataRemotes): End {
	const address = dataAddressOf(uri);
	if (address.kind === "file") return { path: fileURLToPath(uri), remotes: {} };
	const source = rcloneSourceOf(uri, known);
	if (source.kind === "address")
		throw new StagingError(`${uri} is a single file on a web server: use the folder's address or another source`);
	return { path: `${name}:${source.path}`, remotes: { [name]: source.options } };
}

async function isDirectory(program: string, end: End, tmpFolder: string, signal: AbortSignal): Promise<boolean> {
	const { IsDir } = await readJson(program, ["lsjson", "--stat", "--no-modtime", "--no-mimetype"], end, tmpFolder, signal);
	return IsDir === true;
}

/** The JSON that an rclone command prints about an address. */
async function readJson(
	program: string,
	command: readonly string[],
	{ path: at, remotes }: End,
	tmpFolder: string,
	signal: AbortSignal,
): Promise<{ IsDir?: boolean; bytes?: number }> {
	try {
		const args = [...command, "--retries=3", "--contimeout=15s", "--timeout=60s", at];
		const { stdout } = await promisify(execFile)(program, args, { env: environmentOf(remotes, tmpFolder) as NodeJS.ProcessEnv, signal });
		return JSON.parse(stdout);
	} catch (error) {
		signal.throwIfAborted();
		const said = String((error as { stderr?: string }).stderr ?? error).trim();
		throw new StagingError(`it cannot be read: ${said.split("\n").at(-1)?.slice(0, 500)}`);
	}
}
