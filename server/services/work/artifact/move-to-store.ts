import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { store } from "#server/db/schema/store.ts";
import { openStore, type StoreBox } from "#server/services/capacity/store/box.ts";
import type { StoreRow } from "#server/services/capacity/store/find.ts";
import { artifactFolder } from "./place.ts";
import { artifactPlace, deletePlace } from "./store.ts";

const MOST = 20;

/** Results in the embedded store of teams with a store that machines cannot reach themselves. */
export async function resultsToMove(db: Db): Promise<{ id: string; team: string }[]> {
	const indirect = sql`(${store.config}->>'kind' = 'webdav' or (${store.config}->>'kind' = 's3' and ${store.config}->>'provider' = 'Other'))`;
	return db
		.select({ id: artifact.id, team: artifact.team })
		.from(artifact)
		.innerJoin(store, and(eq(store.team, artifact.team), store.isDefault, isNull(store.removedAt), indirect))
		.where(and(isNull(artifact.storeId), isNull(artifact.deletedAt)))
		.limit(MOST);
}

/** Copies a result into the store, compares sizes, and deletes the embedded copy. A crash in between repeats the copy. */
export async function moveToStore(
	db: Db,
	files: { root: string; stores: StoreBox },
	{ id, row, signal }: { id: string; row: StoreRow; signal: AbortSignal },
): Promise<void> {
	const place = artifactPlace(files.root, id);
	const rows = await db
		.select({ path: artifactFile.path, bytes: artifactFile.bytes })
		.from(artifactFile)
		.where(eq(artifactFile.artifactId, id));
	const opened = openStore(files.stores, row);
	await files.stores.port.upload(opened, { folder: place.whole, paths: rows.map((file) => file.path) }, artifactFolder(id), signal);
	const stored = await files.stores.port.list(opened, artifactFolder(id));
	const missing = rows.filter((file) => stored.get(file.path) !== Number(file.bytes));
	if (missing.length > 0) throw new Error(`the store does not have ${missing[0]?.path} of result ${id}`);
	await db.update(artifact).set({ storeId: row.id }).where(eq(artifact.id, id));
	await deletePlace(place);
}
