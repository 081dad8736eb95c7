import { execFile } from "node:child_process";
import { mkdtemp, opendir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { environmentOf } from "#server/agent/rclone/run.ts";
import { rcloneSourceOf } from "#server/agent/rclone/source.ts";
import { readRemotes } from "#server/agent/read-remotes.ts";
import { dataAddressOf } from "#server/domain/data-address.ts";
import type { FoundObject, ListObjects } from "#server/services/decision/trigger/check-location.ts";

const run = promisify(execFile);
const LIST_TIMEOUT_MS = 120_000;
const LIST_BYTES = 256 * 1024 * 1024;

const listed = z.array(z.object({ Path: z.string(), Size: z.number(), ModTime: z.string() }));

/** Lists folders of this host directly, and stores with this host's rclone and the operator's remotes. */
export function objectLister(remotesFile: string | undefined): ListObjects {
	return async (uri) => {
		const address = dataAddressOf(uri);
		return address.kind === "file" ? listFolder(address.path) : listStore(uri, remotesFile);
	};
}

async function listFolder(folder: string): Promise<FoundObject[]> {
	const found: FoundObject[] = [];
	for await (const entry of await opendir(folder, { recursive: true })) {
		if (!entry.isFile()) continue;
		const file = path.join(entry.parentPath, entry.name);
		// A file that was moved after the folder was read counts as missing.
		const stats = await stat(file).catch(() => null);
		if (stats) found.push({ path: path.relative(folder, file), bytes: stats.size, changedAtMs: stats.mtimeMs });
	}
	return found;
}

async function listStore(uri: string, remotesFile: string | undefined): Promise<FoundObject[]> {
	const source = rcloneSourceOf(uri, await readRemotes(remotesFile));
	if (source.kind !== "remote") throw new Error(`${uri} is one file; name a folder that ends with /`);
	const tmpFolder = await mkdtemp(path.join(tmpdir(), "spillway-list-"));
	try {
		const args = ["lsjson", "--recursive", "--files-only", "--no-mimetype", "--retries=2", `source:${source.path}`];
		const env = environmentOf({ source: source.options }, tmpFolder) as NodeJS.ProcessEnv;
		const { stdout } = await run(await rcloneOfHost(), args, { env, timeout: LIST_TIMEOUT_MS, maxBuffer: LIST_BYTES });
		return listed
			.parse(JSON.parse(stdout))
			.map(({ Path, Size, ModTime }) => ({ path: Path, bytes: Math.max(0, Size), changedAtMs: Date.parse(ModTime) }));
	} catch (error) {
		const text = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
		throw new Error(`${uri} cannot be listed: ${text.split("\n").at(-1) ?? "rclone failed"}`);
	} finally {
		await rm(tmpFolder, { recursive: true, force: true });
	}
}
