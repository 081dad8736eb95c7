import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { deleteTree } from "../delete-tree.ts";

/** Stores segments of logs. Keys are relative paths that start with the attempt's id. */
export interface LogStore {
	/** Returns when the object is durable. An object of the same key has the same content. */
	put(key: string, content: Buffer): Promise<void>;
	get(key: string): Promise<Buffer>;
	remove(key: string): Promise<void>;
	removeAttempt(attemptId: string): Promise<void>;
}

/** A folder that all web servers and schedulers share. */
export function folderLogStore(root: string): LogStore {
	return {
		put: async (key, content) => {
			const file = path.join(root, key);
			const draft = `${file}.${randomUUID()}.new`;
			await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
			try {
				await writeDurably(draft, content);
				await rename(draft, file);
			} catch (error) {
				await rm(draft, { force: true });
				throw error;
			}
			for (const folder of [path.dirname(file), root]) await syncFolder(folder);
		},
		get: (key) => readFile(path.join(root, key)),
		remove: (key) => rm(path.join(root, key), { force: true }),
		removeAttempt: (attemptId) => deleteTree(path.join(root, attemptId)),
	};
}

async function writeDurably(file: string, content: Buffer): Promise<void> {
	const handle = await open(file, "wx", 0o600);
	try {
		await handle.writeFile(content);
		await handle.sync();
	} finally {
		await handle.close();
	}
}

async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
