import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { deleteArtifact } from "../artifact/delete.ts";
import type { ArtifactFiles } from "../artifact/open-file.ts";
import { findRun } from "../metric/tracking.ts";
import { liveFiles, noFile, requirePath } from "./live-files.ts";

/** Deletes a file of a run, or all files below a folder. @throws SpillwayError `forbidden`, `not_found`, `invalid_input` */
export async function deleteRunArtifacts(
	ctx: ServiceContext,
	files: ArtifactFiles,
	{ runId, path }: { runId: string; path: string },
): Promise<void> {
	const { team } = await findRun(ctx, runId, "job:read");
	authorize(ctx, "artifact:delete", team);
	const found = await liveFiles(ctx.db, runId, requirePath(path));
	if (found.length === 0) throw noFile(runId, path);
	for (const { id } of found) await deleteArtifact(ctx, files, id);
}
