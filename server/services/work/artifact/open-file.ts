import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { and, eq } from "drizzle-orm";
import { artifactFile } from "#server/db/schema/artifact.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { openStore, type StoreBox } from "#server/services/capacity/store/box.ts";
import { type StoreRow, storeById } from "#server/services/capacity/store/find.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableArtifact } from "./get.ts";
import { artifactFolder, rootOf } from "./place.ts";
import { artifactPlace } from "./store.ts";

/** A stored file, opened only when `read` is called. `bytes` is its size; a range is inclusive, as in HTTP. */
export interface StoredFile {
	name: string;
	bytes: number;
	sha256: string;
	mediaType: string;
	read(range?: { start: number; end: number }): Readable;
	/** A URL at the store from which the caller can download it for a short time; null when only `read` provides it. */
	redirect: string | null;
}

/** Where results are stored: the folder of the embedded store, and the stores of teams that this process can reach. */
export interface ArtifactFiles {
	root: string;
	stores: StoreBox | null;
}

/** Long enough to begin a download; the caller's permissions are checked each time. */
const REDIRECT_SECONDS = 60;

/**
 * One file of an artifact.
 * @throws SpillwayError `forbidden`; `not_found` for an unknown artifact or file, and when the files were deleted
 */
export async function openArtifactFile(
	ctx: Pick<ServiceContext, "actor" | "db">,
	{ root, stores }: ArtifactFiles,
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
	const bytes = Number(file.bytes);
	const facts = { name: path.basename(file.path), bytes, sha256: file.sha256, mediaType: file.mediaType };
	const from = row.storeId === null ? null : await storeById(ctx.db, row.storeId);
	if (from && from.config.kind !== "folder")
		return { ...facts, ...(await inStore(stores, from, `${artifactFolder(row.id)}/${file.path}`, facts)) };
	const target = path.join(artifactPlace(rootOf(root, from?.config ?? null), row.id).whole, file.path);
	const found = await stat(target).catch(() => null);
	if (found?.size !== bytes)
		throw new SpillwayError("unavailable", `The store does not have ${file.path} of artifact ${row.id}.`, {
			fix: "Check that all web servers share the folder artifacts/ of SPILLWAY_HOME.",
		});
	return {
		...facts,
		redirect: null,
		read: (range) => createReadStream(target, range ?? {}),
	};
}

async function inStore(stores: StoreBox | null, row: StoreRow, file: string, facts: { name: string; mediaType: string }) {
	if (!stores)
		throw new SpillwayError("unavailable", "This process cannot reach the store.", { fix: "Send the request to the web server." });
	const opened = openStore(stores, row);
	const redirect = await stores.port.signUrl(opened, file, { seconds: REDIRECT_SECONDS, fileName: facts.name, mediaType: facts.mediaType });
	return { redirect, read: (range?: { start: number; end: number }) => stores.port.read(opened, file, range) };
}
