import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { type CheckpointFile, checkpointFileSchema, type Restorable } from "#server/agent/protocol.ts";
import { listFiles } from "../checkpoint/copy-folder.ts";
import { checkpointFolder, newestCheckpoint } from "../checkpoint/store.ts";
import type { AgentIdentity } from "./authenticate.ts";
import type { AgentContext } from "./context.ts";
import { restorableFromStore } from "./store-checkpoint.ts";

type Restorer = Pick<AgentIdentity, "jobId" | "attemptId" | "attemptNo" | "rank" | "expiresAtMs">;

const manifestSchema = z.array(checkpointFileSchema);

/** Where the hashes of a checkpoint's files are stored: next to its folder, which contains only the job's files. */
function manifestFile(root: string, jobId: string, checkpointId: string): string {
	return `${checkpointFolder(root, jobId, checkpointId)}.manifest.json`;
}

export async function writeManifest(root: string, jobId: string, checkpointId: string, files: readonly CheckpointFile[]): Promise<void> {
	const file = manifestFile(root, jobId, checkpointId);
	await writeFile(`${file}.partial`, JSON.stringify(files), { mode: 0o600 });
	await rename(`${file}.partial`, file);
}

/** The job's newest checkpoint with its files and their hashes, for an agent to resume from; null when it has none. */
export async function checkpointFor(ctx: AgentContext, agent: Restorer): Promise<Restorable | null> {
	const { jobId } = agent;
	const newest = await newestCheckpoint(ctx.db, jobId);
	if (newest === null) return null;
	const { storeId } = newest;
	if (storeId !== null && ctx.stores) return restorableFromStore({ ...ctx, stores: ctx.stores }, agent, { ...newest, storeId });
	const latest = { id: newest.id, folder: checkpointFolder(ctx.checkpointRoot, jobId, newest.id) };
	const kept = await readManifest(manifestFile(ctx.checkpointRoot, jobId, latest.id));
	if (kept !== null) return { id: latest.id, files: kept };
	// Saved by a site on this host, without hashes: compute them once, for this and every later agent.
	const files = await sumAll(latest.folder);
	await writeManifest(ctx.checkpointRoot, jobId, latest.id, files);
	return { id: latest.id, files };
}

/** Null when it does not exist or cannot be read. */
async function readManifest(file: string): Promise<CheckpointFile[] | null> {
	try {
		return manifestSchema.parse(JSON.parse(await readFile(file, "utf8")));
	} catch {
		return null;
	}
}

async function sumAll(folder: string): Promise<CheckpointFile[]> {
	const files: CheckpointFile[] = [];
	for (const { relative } of await listFiles(folder)) {
		const hash = createHash("sha256");
		let bytes = 0;
		await pipeline(createReadStream(path.join(folder, relative)), async (source: AsyncIterable<Buffer>) => {
			for await (const chunk of source) {
				hash.update(chunk);
				bytes += chunk.length;
			}
		});
		files.push({ path: relative.split(path.sep).join("/"), bytes, sha256: hash.digest("hex") });
	}
	return files;
}
