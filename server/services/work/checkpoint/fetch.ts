import { asc, eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { checkpointPart } from "#server/db/schema/checkpoint-part.ts";
import { openStore, type StoreBox } from "#server/services/capacity/store/box.ts";
import { storeById } from "#server/services/capacity/store/find.ts";
import { downloadFolder } from "../artifact/download.ts";
import { isThere } from "../artifact/store.ts";
import { checkpointsFolder } from "./place.ts";
import { checkpointFolder, newestCheckpoint } from "./store.ts";

/**
 * The job's newest checkpoint as a folder of this host. One in a team's store is downloaded and checked first. Null when there is none.
 * @throws Error when this host cannot reach the store, and as `downloadFolder`
 */
export async function fetchCheckpoint(
	db: Db,
	root: string,
	stores: StoreBox | null,
	jobId: string,
): Promise<{ id: string; folder: string } | null> {
	const newest = await newestCheckpoint(db, jobId);
	if (newest === null) return null;
	const folder = checkpointFolder(root, jobId, newest.id);
	if (newest.storeId === null || (await isThere(folder))) return { id: newest.id, folder };
	if (!stores) throw new Error(`this scheduler cannot reach the store of checkpoint ${newest.id}`);
	const store = openStore(stores, await storeById(db, newest.storeId));
	const parts = await db.select().from(checkpointPart).where(eq(checkpointPart.checkpointId, newest.id)).orderBy(asc(checkpointPart.rank));
	const files = new Map(parts.flatMap((part) => (part.files ?? []).map((file) => [file.path, file] as const)));
	const folders = [...Map.groupBy(files.values(), (file) => file.from)].map(([from, ofFolder]) => ({
		folder: `${checkpointsFolder(jobId)}/${from}`,
		files: ofFolder,
	}));
	await downloadFolder(stores.port, { store, folders }, folder);
	return { id: newest.id, folder };
}
