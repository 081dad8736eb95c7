import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { and, eq } from "drizzle-orm";
import { artifactFile } from "#server/db/schema/artifact.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableArtifact } from "./get.ts";
import { artifactPlace } from "./store.ts";

/** A stored file, opened only when `read` is called. `bytes` is its size; a range is inclusive, as in HTTP. */
export interface StoredFile {
	name: string;
	bytes: number;
	sha256: string;
	mediaType: string;
	read(range?: { start: number; end: number }): Readable;
}

/**
 * One file of an artifact.
 * @param root of the embedded artifact store
 * @throws SpillwayError `forbidden`; `not_found` for an unknown artifact or file, and when the files were deleted
 */
export async function openArtifactFile(
	ctx: Pick<ServiceContext, "actor" | "db">,
	root: string,
	input: { id: string; path: string },
): Promise<StoredFile> {
	const row = await readableArtifact(ctx, input.id);
	if (row.deletedAt)
		throw new SpillwayError("not_found", `The files of artifact ${row.id} were deleted on ${row.deletedAt.toISOString()}.`, {
			fix: "Run the job again to produce them.",
		});
	const [file] = await ctx.db
		.select()
		.from(artifactFile)
		.where(and(eq(artifactFile.artifactId, row.id), eq(artifactFile.path, input.path)));
	if (!file)
		throw new SpillwayError("not_found", `Artifact ${row.id} has no file ${JSON.stringify(input.path)}.`, {
			fix: "List its files with: spillway artifacts ls <job>",
		});
	const target = path.join(artifactPlace(root, row.id).whole, file.path);
	const bytes = Number(file.bytes);
	const found = await stat(target).catch(() => null);
	if (found?.size !== bytes)
		throw new SpillwayError("unavailable", `The store does not have ${file.path} of artifact ${row.id}.`, {
			fix: "Check that all web servers share the folder artifacts/ of SPILLWAY_HOME.",
		});
	return {
		...{ name: path.basename(file.path), bytes, sha256: file.sha256, mediaType: file.mediaType },
		read: (range) => createReadStream(target, range ?? {}),
	};
}
