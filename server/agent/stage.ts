import { execFile } from "node:child_process";
import { constants, cp, lchown, lstat, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { artifactOfUri } from "#server/domain/output.ts";
import { type FetchOptions, fetchData } from "./fetch-data.ts";
import { createFolderInside, mustBeInside, placeUnder, StagingError } from "./safe-path.ts";

export interface StageOptions {
	/** The job's work folder. Nothing is written outside it. */
	workFolder: string;
	/** Name of this site in messages, e.g. "the local site". */
	place: string;
	/** How remote data is fetched. */
	fetching: FetchOptions;
	/** Jobs do not run as this process's user on this host, so files that only this user may read are rejected. */
	keepsOwn?: boolean;
	/** The user that runs the job and copies its files; absent if this process's user does. */
	uid?: number | undefined;
	/** Called with the number of bytes fetched so far of the data set with this index. */
	onRead?: (index: number, bytes: number) => void;
	/** Downloads a result of another job; absent on owned sites, which copy it from a folder. */
	fetchArtifact?: (id: string, target: string) => Promise<void>;
	signal?: AbortSignal;
}

/**
 * Stages every data set of a job at `<workFolder>/<mount>`.
 * @throws StagingError naming the one that failed
 */
export async function stageData(data: readonly { uri: string; mount: string }[], options: StageOptions): Promise<void> {
	for (const [index, ref] of data.entries()) {
		const fetching = { ...options.fetching, onBytes: (bytes: number) => options.onRead?.(index, bytes) };
		try {
			await stageOne(ref, { ...options, fetching });
		} catch (error) {
			options.signal?.throwIfAborted();
			throw new StagingError(`${ref.uri} cannot be staged to ${ref.mount} on ${options.place}: ${reasonOf(error)}`);
		}
	}
}

async function stageOne(
	{ uri, mount }: { uri: string; mount: string },
	{ workFolder, fetching, keepsOwn, uid, fetchArtifact, signal }: StageOptions,
): Promise<void> {
	const target = placeUnder(workFolder, mount);
	const artifact = artifactOfUri(uri);
	// The scheduler wrote this address, so reading its store leaks nothing.
	if (artifact !== null && path.isAbsolute(artifact)) return copyInto(artifact, target, workFolder, { signal });
	if (uri.startsWith("file:")) return copyInto(sourceOfFileUri(uri), target, workFolder, { signal, keepsOwn, uid });
	await createFolderInside(workFolder, path.dirname(target));
	await mustBeInside(workFolder, target);
	if (artifact !== null) {
		if (!fetchArtifact) throw new StagingError("outputs of other jobs are not available on this site");
		return fetchArtifact(artifact, target);
	}
	await fetchData(uri, target, fetching, signal);
}

/**
 * `file:///data/x` and `file:/data/x`. A relative path is rejected: it would refer to a folder of the submitter, which is unknown
 * here.
 */
function sourceOfFileUri(uri: string): string {
	if (!/^file:\/(\/\/|localhost\/|[^/])/.test(uri)) {
		throw new StagingError("the path must be absolute, for example file:///data/set");
	}
	return fileURLToPath(uri);
}

/**
 * Copies a file or a folder's content to `target` below `root`. Links inside are copied as links.
 * @throws StagingError if the source is missing, the target leads out of `root`, or `keepsOwn` rejects a file
 */
export async function copyInto(
	source: string,
	target: string,
	root: string,
	{ signal, keepsOwn = false, uid }: { signal?: AbortSignal | undefined; keepsOwn?: boolean | undefined; uid?: number | undefined } = {},
): Promise<void> {
	const kind = await stat(source).catch((error: unknown) => {
		throw new StagingError((error as NodeJS.ErrnoException).code === "ENOENT" ? `${source} does not exist` : reasonOf(error));
	});
	await createFolderInside(root, kind.isDirectory() ? target : path.dirname(target));
	await mustBeInside(root, target);
	if (uid !== undefined) {
		await lchown(kind.isDirectory() ? target : path.dirname(target), uid, uid);
		const from = kind.isDirectory() ? `${source}/.` : source;
		const copying = promisify(execFile)("cp", ["-RPp", "--", from, target], { uid, gid: uid, cwd: root, signal });
		await copying.catch(({ stderr, message }: Error & { stderr?: string }) => {
			throw new StagingError(stderr?.trim().split("\n")[0] || message);
		});
		return;
	}
	await cp(source, target, {
		recursive: true,
		verbatimSymlinks: true,
		preserveTimestamps: true,
		mode: constants.COPYFILE_FICLONE,
		// The filter is the only place where a long copy can be stopped.
		filter: async (file) => {
			signal?.throwIfAborted();
			if (keepsOwn) await rejectPrivateFile(file);
			return true;
		},
	});
}

/** Keys, passwords and /proc environments have such modes. A link is copied as a link and resolves only where the job runs. */
async function rejectPrivateFile(file: string): Promise<void> {
	const found = await lstat(file);
	if (found.isDirectory() || found.isSymbolicLink() || found.uid !== process.getuid?.() || (found.mode & 0o004) !== 0) return;
	throw new StagingError(`${file} is readable only by Spillway's user. If jobs may use it, make it readable (chmod o+r)`);
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
