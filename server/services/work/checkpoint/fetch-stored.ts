import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { asc, eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { artifact, artifactFile } from "#server/db/schema/artifact.ts";
import { checkpointPart } from "#server/db/schema/checkpoint-part.ts";
import { openStore, type StoreBox } from "#server/services/capacity/store/box.ts";
import { storeById } from "#server/services/capacity/store/find.ts";
import { artifactFolder, rootOf } from "../artifact/place.ts";
import { artifactPlace, sumOf } from "../artifact/store.ts";
import { checkpointsFolder } from "./place.ts";
import { checkpointFolder, newestCheckpoint } from "./store.ts";

/**
 * The job's newest checkpoint as a folder of this host. One in a team's store is downloaded and checked first. Null: none.
 * @throws Error when the store refuses, or a file is missing or has another sum
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
	const opened = openStore(stores, await storeById(db, newest.storeId));
	const parts = await db.select().from(checkpointPart).where(eq(checkpointPart.checkpointId, newest.id)).orderBy(asc(checkpointPart.rank));
	const half = `${folder}.fetching`;
	await rm(half, { recursive: true, force: true });
	await mkdir(half, { recursive: true, mode: 0o700 });
	const files = new Map(parts.flatMap((part) => (part.files ?? []).map((file) => [file.path, file] as const)));
	for (const [from, group] of Map.groupBy(files.values(), (file) => file.from))
		await stores.port.download(opened, { folder: `${checkpointsFolder(jobId)}/${from}`, paths: group.map((file) => file.path) }, half);
	for (const file of files.values()) await demandSum(path.join(half, file.path), file.sha256);
	await rename(half, folder);
	return { id: newest.id, folder };
}

/** The folder of a result on this host, downloaded from its team's store when it is only there. @throws Error as `fetchCheckpoint` */
export async function fetchResult(db: Db, root: string, stores: StoreBox | null, id: string): Promise<string> {
	const [row] = await db.select({ storeId: artifact.storeId }).from(artifact).where(eq(artifact.id, id));
	const from = row?.storeId == null ? null : await storeById(db, row.storeId);
	const { whole } = artifactPlace(rootOf(root, from?.config ?? null), id);
	if (from === null || from.config.kind === "folder" || (await isThere(whole))) return whole;
	if (!stores) throw new Error(`this scheduler cannot reach the store of result ${id}`);
	const files = await db.select().from(artifactFile).where(eq(artifactFile.artifactId, id));
	const half = `${whole}.fetching`;
	await rm(half, { recursive: true, force: true });
	await mkdir(half, { recursive: true, mode: 0o700 });
	await stores.port.download(openStore(stores, from), { folder: artifactFolder(id), paths: files.map((file) => file.path) }, half);
	for (const file of files) await demandSum(path.join(half, file.path), file.sha256);
	await rename(half, whole);
	return whole;
}

async function demandSum(file: string, sha256: string): Promise<void> {
	const found = await sumOf(file).catch(() => null);
	if (found !== sha256) throw new Error(`${path.basename(file)} is ${found === null ? "missing" : "changed"} in the store`);
}

async function isThere(folder: string): Promise<boolean> {
	return (await stat(folder).catch(() => null)) !== null;
}
