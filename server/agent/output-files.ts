import { lstat } from "node:fs/promises";
import path from "node:path";
import type { OutputSpec } from "#server/domain/output.ts";
import { type FolderFile, listFolder } from "./folder-files.ts";
import { createFolderInside, mustBeInside, placeUnder } from "./safe-path.ts";

type Outputs = readonly OutputSpec[] | undefined;

/** The files of one output, as paths relative to `root`. */
export interface OutputFiles {
	root: string;
	files: FolderFile[];
}

/**
 * The absolute path of each output, by name.
 * @throws StagingError
 */
export function outputPathsOf(workFolder: string, outputs: Outputs): Record<string, string> {
	return Object.fromEntries((outputs ?? []).map((output) => [output.name, placeUnder(workFolder, output.path)]));
}

/**
 * The folders that outputs need before the command starts. An absolute path is a folder itself (containers mount it); a relative
 * one needs its parent.
 * @throws StagingError
 */
export function outputFoldersOf(workFolder: string, outputs: Outputs): string[] {
	return (outputs ?? []).map((output) => {
		const target = placeUnder(workFolder, output.path);
		return path.isAbsolute(output.path) ? target : path.dirname(target);
	});
}

/** @throws StagingError */
export async function createOutputFolders(workFolder: string, outputs: Outputs): Promise<void> {
	for (const folder of outputFoldersOf(workFolder, outputs)) await createFolderInside(workFolder, folder);
}

/**
 * Finds what the command left at an output's path: a file, or the files below a folder. Symbolic links are not followed. Empty if
 * there is nothing.
 * @throws StagingError if the path leads out of the work folder
 */
export async function listOutput(workFolder: string, outputPath: string): Promise<OutputFiles> {
	const target = placeUnder(workFolder, outputPath);
	const found = await lstat(target).catch(() => null);
	if (found === null) return { root: target, files: [] };
	await mustBeInside(workFolder, target);
	if (found.isDirectory()) return { root: target, files: await listFolder(target) };
	if (!found.isFile()) return { root: target, files: [] };
	return { root: path.dirname(target), files: [{ path: path.basename(target), bytes: found.size, changedMs: found.mtimeMs }] };
}
