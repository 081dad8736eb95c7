import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type ArtifactFiles, openArtifactFile, type StoredFile } from "../artifact/open-file.ts";
import { findRun } from "../metric/tracking.ts";
import { type LiveFile, liveFiles, noFile, requirePath } from "./live-files.ts";

/** A file, or a folder of files, below the artifacts of a run. */
export interface ArtifactEntry {
	path: string;
	isFolder: boolean;
	/** 0 for a folder. */
	bytes: number;
}

/** Direct content of a folder of a run; empty for a file and for an unknown folder. @throws SpillwayError `forbidden`, `not_found`, `invalid_input` */
export async function listRunArtifacts(ctx: ServiceContext, runId: string, folder: string): Promise<ArtifactEntry[]> {
	await readableRun(ctx, runId);
	return entriesOf(await liveFiles(ctx.db, runId, folder === "" ? "" : requirePath(folder)), folder);
}

/** @throws SpillwayError as `openArtifactFile`; `not_found` also for another team's run; `invalid_input` for the path */
export async function openRunArtifact(
	ctx: ServiceContext,
	files: ArtifactFiles,
	{ runId, path }: { runId: string; path: string },
): Promise<StoredFile> {
	await readableRun(ctx, runId);
	const found = (await liveFiles(ctx.db, runId, requirePath(path))).find((file) => file.path === path);
	if (!found) throw noFile(runId, path);
	return openArtifactFile(ctx, files, { id: found.id, path });
}

async function readableRun(ctx: ServiceContext, runId: string): Promise<void> {
	const { team } = await findRun(ctx, runId, "job:read");
	authorize(ctx, "artifact:read", team);
}

function entriesOf(files: readonly LiveFile[], folder: string): ArtifactEntry[] {
	const prefix = folder === "" ? "" : `${folder}/`;
	const entries = new Map<string, ArtifactEntry>();
	for (const { path, bytes } of files) {
		if (!path.startsWith(prefix)) continue;
		const end = path.indexOf("/", prefix.length);
		const entry = end === -1 ? { path, isFolder: false, bytes } : { path: path.slice(0, end), isFolder: true, bytes: 0 };
		entries.set(`${entry.isFolder}${entry.path}`, entry);
	}
	return [...entries.values()];
}
