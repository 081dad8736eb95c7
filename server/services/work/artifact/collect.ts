import { createReadStream } from "node:fs";
import path from "node:path";
import { type CheckpointFile, pathProblem } from "#server/agent/protocol.ts";
import type { Db } from "#server/db/client.ts";
import type { OutputSpec } from "#server/domain/output.ts";
import { artifactIdOf } from "#server/kernel/ids.ts";
import { OverQuota, requireQuota } from "./place.ts";
import { isRecorded, recordArtifact } from "./record.ts";
import { artifactPlace, closePlace, deletePlace, isThere, openPlace, readManifest, writeManifest, writeWithSum } from "./store.ts";

/** What an ended attempt left at an output's path, as visible on this host. */
export interface FoundOutput {
	/** The output and its index in the job file. */
	output: OutputSpec;
	index: number;
	root: string;
	/** Relative to `root`, with "/". */
	paths: readonly string[];
	bytes: number;
}

/**
 * Copies the outputs of an attempt that ended on an owned site into the store, and records them. Repeating it after a crash
 * continues with the outputs that are not recorded yet. @throws OverQuota
 */
export async function collectOutputs(
	db: Db,
	root: string,
	input: { jobId: string; attemptId: string; attemptNo: number; team: string; found: readonly FoundOutput[]; atMs: number },
): Promise<void> {
	for (const { output, index, root: from, paths, bytes } of input.found) {
		const id = artifactIdOf(input.jobId, input.attemptNo, index);
		if (await isRecorded(db, id)) continue;
		await requireQuota(db, input.team, { id, bytes });
		const place = artifactPlace(root, id);
		if (!(await isThere(place.whole))) {
			await deletePlace(place);
			await openPlace(place, []);
			const files: CheckpointFile[] = [];
			for (const file of paths)
				files.push({ path: file, ...(await writeWithSum(createReadStream(path.join(from, file)), path.join(place.partial, file))) });
			await writeManifest(place, files);
			await closePlace(place);
		}
		const files = (await readManifest(place)) ?? [];
		const { jobId, attemptId, team, atMs } = input;
		await recordArtifact(db, { id, jobId, attemptId, team, output, files, atMs }).catch(async (error: unknown) => {
			if (error instanceof OverQuota) await deletePlace(place);
			throw error;
		});
	}
}

/** A path that stores cannot have, or null. Lists of files have one path per line, so a line break in a name would name other files. */
export function findPathProblem(paths: readonly string[]): string | null {
	for (const file of paths) {
		const problem = pathProblem(file);
		if (problem !== null) return `the path ${JSON.stringify(file)} ${problem}`;
	}
	return null;
}
