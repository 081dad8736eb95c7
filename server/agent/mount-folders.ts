import { stat } from "node:fs/promises";
import { requestedMounts, type SiteMount } from "#server/domain/site-mount.ts";
import { StagingError } from "./safe-path.ts";

/**
 * Folders of the requested mounts, by name. All sources of the site must be folders of its machines.
 * @throws StagingError when the site does not have one, or its folder does not exist or cannot be read
 */
export async function findMountFolders(
	names: readonly string[] | undefined,
	mounts: readonly SiteMount[],
	place: string,
): Promise<Record<string, string>> {
	const folders: Record<string, string> = {};
	for (const { name, source } of requestedOn(names, mounts, place)) {
		const problem = await folderProblem(source);
		if (problem !== null) throw new StagingError(`mount ${name} is not available on ${place}: ${problem}`);
		folders[name] = source;
	}
	return folders;
}

/** Why a mount's folder cannot be used on this host; null when it can. */
export async function folderProblem(folder: string): Promise<string | null> {
	const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error);
	if (found instanceof Error) return found.code === "ENOENT" ? `${folder} does not exist` : `${folder}: ${found.message}`;
	return found.isDirectory() ? null : `${folder} is not a folder`;
}

/** @throws StagingError naming the first mount that the site does not have */
export function requestedOn(names: readonly string[] | undefined, mounts: readonly SiteMount[], place: string): SiteMount[] {
	try {
		return requestedMounts(names, mounts, place);
	} catch (error) {
		throw new StagingError(error instanceof Error ? error.message : String(error));
	}
}
