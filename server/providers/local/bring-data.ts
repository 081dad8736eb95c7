import { appendFile, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { DataCache } from "#server/agent/data-cache.ts";
import { createOutputFolders } from "#server/agent/output-files.ts";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { readRemotes } from "#server/agent/read-remotes.ts";
import { createFolderInside, placeUnder } from "#server/agent/safe-path.ts";
import { copyInto, stageData } from "#server/agent/stage.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { SiteCache } from "#server/domain/site-cache.ts";
import { GIB } from "#server/kernel/units.ts";
import type { AttemptFolder } from "./attempt-folder.ts";
import { handFolders } from "./job-user.ts";

/** How the data of an owned site's attempts are staged. */
export interface DataSite {
	/** Name of the site in messages, e.g. "the local site". */
	place: string;
	/** File with the operator's data remotes. */
	dataRemotes?: string | undefined;
	/** See `StageOptions`. */
	keepsOwn: boolean;
	/** Where fetched data is kept. Absent: in the site's folder, for a week after its last use. */
	cache?: SiteCache | undefined;
}

/** The fetched data that a site keeps. `root`: the folder of its attempts. */
export function dataCacheOf(root: string, cache: SiteCache | undefined): DataCache {
	return cache ? new DataCache(path.join(cache.path, "spillway-data"), cache.gib * GIB) : new DataCache(path.join(root, ".data"));
}

/**
 * Creates the folders of an attempt and stages its data and the checkpoint to resume from. Downloads are logged in its stderr,
 * and kept for the site's next attempts.
 * @throws StagingError
 */
export async function bringData(
	{ place, dataRemotes, keepsOwn, cache }: DataSite,
	paths: AttemptFolder,
	{ spec, restoreFrom, uid }: { spec: JobSpec; restoreFrom: string | null; uid?: number | undefined },
	signal: AbortSignal,
): Promise<void> {
	// Data from a stager that was killed may be incomplete, so staging starts over.
	await rm(paths.work, { recursive: true, force: true });
	await Promise.all([paths.work, paths.checkpoints, paths.tmp].map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
	if (uid !== undefined) await handFolders(paths, uid);
	const fetching = {
		remotes: spec.data.length > 0 ? await readRemotes(dataRemotes) : {},
		rclone: rcloneOfHost,
		ownHost: true,
		cache: dataCacheOf(path.dirname(paths.folder), cache),
		log: (text: string) => void appendFile(paths.stderr, `spillway: ${text}\n`, { mode: 0o600 }).catch(() => {}),
	};
	await stageData(spec.data, { workFolder: paths.work, place, fetching, keepsOwn, uid, signal });
	const checkpoints = checkpointFolderOf(paths, spec);
	if (spec.checkpoint) await createFolderInside(paths.work, checkpoints);
	await createOutputFolders(paths.work, spec.outputs);
	if (restoreFrom !== null) await copyInto(restoreFrom, checkpoints, spec.checkpoint ? paths.work : paths.checkpoints, { signal });
}

/** The checkpoint path of a job file is below the work folder, even if it is written as an absolute path. */
export function checkpointFolderOf(paths: AttemptFolder, spec: JobSpec): string {
	return spec.checkpoint ? placeUnder(paths.work, spec.checkpoint.path) : paths.checkpoints;
}
