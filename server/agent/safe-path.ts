import { lstat, mkdir, realpath } from "node:fs/promises";
import path from "node:path";

/** Why a job's data could not be staged. The message is for the author of the job. */
export class StagingError extends Error {
	override name = "StagingError";
}

/**
 * Resolves a path of the job file on this host. Absolute paths are placed under `root` too.
 * @throws StagingError
 */
export function placeUnder(root: string, jobPath: string): string {
	if (jobPath.includes("\u0000") || jobPath.split(/[/\\]/).includes("..")) {
		throw new StagingError(`the path ${JSON.stringify(jobPath)} would leave the job's work folder; use one without ".."`);
	}
	return path.join(root, jobPath);
}

/**
 * Creates the folder and its parents, unless a symbolic link on the way leads out of `root`.
 * @throws StagingError
 */
export async function createFolderInside(root: string, folder: string): Promise<void> {
	await mustBeInside(root, folder);
	await mkdir(folder, { recursive: true });
}

/** @throws StagingError if the path, with its existing links resolved, is not below `root` */
export async function mustBeInside(root: string, target: string): Promise<void> {
	const realRoot = await realpath(root);
	const real = await realpathOfExisting(target);
	if (real === realRoot || real.startsWith(realRoot + path.sep)) return;
	throw new StagingError(`${path.relative(root, target)} leads out of the job's work folder through a symbolic link (to ${real})`);
}

async function realpathOfExisting(target: string): Promise<string> {
	for (let at = target; ; at = path.dirname(at)) {
		try {
			return await realpath(at);
		} catch (error) {
			const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
			if (!missing || at === path.dirname(at)) throw error;
			if (await isDanglingLink(at)) throw new StagingError(`${at} is a broken symbolic link`);
		}
	}
}

async function isDanglingLink(at: string): Promise<boolean> {
	return lstat(at).then(
		(stat) => stat.isSymbolicLink(),
		() => false,
	);
}
