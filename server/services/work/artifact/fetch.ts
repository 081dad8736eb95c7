import { eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { openStore, type StoreBox } from "#server/services/capacity/store/box.ts";
import { type StoreRow, storeById } from "#server/services/capacity/store/find.ts";
import { type DownloadOptions, downloadFolder } from "./download.ts";
import { artifactFolder, rootOf } from "./place.ts";
import { artifactPlace, isThere } from "./store.ts";

/** The folder of a result on this host, downloaded first when it is only in its team's store. @throws Error as `downloadResult` */
export async function fetchResult(db: Db, root: string, stores: StoreBox | null, id: string): Promise<string> {
	const [row] = await db.select({ storeId: artifact.storeId }).from(artifact).where(eq(artifact.id, id));
	const from = row?.storeId == null ? null : await storeById(db, row.storeId);
	const { whole } = artifactPlace(rootOf(root, from?.config ?? null), id);
	if (from === null || from.config.kind === "folder" || (await isThere(whole))) return whole;
	await downloadResult(db, stores, { id, from, target: whole });
	return whole;
}

/** Downloads a result from its team's store. @throws Error when this host cannot reach the store, and as `downloadFolder` */
export async function downloadResult(
	db: Db,
	stores: StoreBox | null,
	{ id, from, target, ...options }: { id: string; from: StoreRow; target: string } & DownloadOptions,
): Promise<void> {
	if (!stores) throw new Error(`this scheduler cannot reach the store of result ${id}`);
	const files = await db.select().from(artifactFile).where(eq(artifactFile.artifactId, id));
	const folders = [{ folder: artifactFolder(id), files }];
	await downloadFolder(stores.port, { store: openStore(stores, from), folders }, target, options);
}
