import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { store } from "#server/db/schema/store.ts";
import { issuesCredentials, type StoreConfig } from "#server/domain/store.ts";
import { openStore, type StoreBox } from "#server/services/capacity/store/box.ts";
import type { StoreRow } from "#server/services/capacity/store/find.ts";
import { artifactFolder } from "./place.ts";
import { artifactPlace, deletePlace } from "./store.ts";

const MOST = 20;

/**
 * Results in the embedded store that belong in a team store that machines cannot reach themselves, with that store. Omits `paused` stores.
 * Cost: two queries.
 */
export async function resultsToMove(db: Db, paused: readonly string[]): Promise<{ id: string; to: StoreRow }[]> {
	const defaults = await db
		.select()
		.from(store)
		.where(and(store.isDefault, isNull(store.removedAt)));
	const open = defaults.filter(({ id, config }) => takesResultsLater(config) && !paused.includes(id));
	const indirect = new Map(open.map((row) => [row.team, row]));
	if (indirect.size === 0) return [];
	const rows = await db
		.select({ id: artifact.id, team: artifact.team })
		.from(artifact)
		.where(and(inArray(artifact.team, [...indirect.keys()]), isNull(artifact.storeId), isNull(artifact.deletedAt)))
		.limit(MOST);
	return rows.flatMap(({ id, team }) => {
		const to = indirect.get(team);
		return to === undefined ? [] : [{ id, to }];
	});
}

/** Whether machines cannot write to the store, so that results reach it through the embedded one. */
function takesResultsLater(config: StoreConfig): boolean {
	return config.kind !== "folder" && !issuesCredentials(config);
}

/** Copies a result into the store, compares sizes, and deletes the embedded copy. A crash in between repeats the copy. */
export async function moveToStore(
	db: Db,
	files: { root: string; stores: StoreBox },
	{ id, to, signal }: { id: string; to: StoreRow; signal: AbortSignal },
): Promise<void> {
	const place = artifactPlace(files.root, id);
	const rows = await db
		.select({ path: artifactFile.path, bytes: artifactFile.bytes })
		.from(artifactFile)
		.where(eq(artifactFile.artifactId, id));
	const sized = rows.map((file) => ({ path: file.path, bytes: Number(file.bytes) }));
	await copyToStore(files.stores, to, { id, folder: place.whole, files: sized, signal });
	await db.update(artifact).set({ storeId: to.id }).where(eq(artifact.id, id));
	await deletePlace(place);
}

/** Uploads the files of a result and compares sizes. @throws StoreError; Error for a file that the store does not have */
export async function copyToStore(
	stores: StoreBox,
	to: StoreRow,
	{ id, folder, files, signal }: { id: string; folder: string; files: readonly { path: string; bytes: number }[]; signal?: AbortSignal },
): Promise<void> {
	const opened = openStore(stores, to);
	await stores.port.upload(opened, { folder, paths: files.map((file) => file.path) }, artifactFolder(id), signal);
	const stored = await stores.port.list(opened, artifactFolder(id));
	const missing = files.find((file) => stored.get(file.path) !== file.bytes);
	if (missing) throw new Error(`the store does not have ${missing.path} of result ${id}`);
}
