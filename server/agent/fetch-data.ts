import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DataRemotes } from "#server/domain/data-remotes.ts";
import { rejectInnerHost } from "./rclone/inner-host.ts";
import { type CopyProgress, rcloneInto } from "./rclone/run.ts";
import { type RcloneSource, rcloneSourceOf } from "./rclone/source.ts";
import { StagingError } from "./safe-path.ts";

/** Fetched data, by URI. */
export interface KeptData {
	/** Fills `target`, which must not exist yet, with this data set. Returns whether it was there. */
	fill(uri: string, target: string): Promise<boolean>;
	/** Keeps the fetched data, if anything will use it again. */
	keep(uri: string, source: string): Promise<void>;
}

/** What is needed to fetch data from a remote store. */
export interface FetchOptions {
	/** Remotes set up by the operator, by name. */
	remotes: DataRemotes;
	/**
	 * Returns the path of rclone.
	 * @throws StagingError if it is not available
	 */
	rclone(): Promise<string>;
	/** Whether the fetching host belongs to the company. Nothing may then be fetched from the host itself or its metadata service. */
	ownHost: boolean;
	/** Data that was fetched before; null if nothing was and nothing outlives the attempt. */
	cache: KeptData | null;
	/** Reports progress from time to time. */
	log(text: string): void;
	/** Called with the number of bytes fetched so far. */
	onBytes?(bytes: number): void;
}

/** Minimum time between two progress messages. */
const REPORT_EVERY_MS = 10_000;

/**
 * Fetches one data set from a store to `target`, which must not exist yet.
 * @throws StagingError
 */
export async function fetchData(
	uri: string,
	target: string,
	{ remotes, rclone, ownHost, cache, log, onBytes }: FetchOptions,
	signal?: AbortSignal,
): Promise<void> {
	const source = rcloneSourceOf(uri, remotes);
	if (ownHost && source.jobsUrl !== null) await rejectInnerHost(source.jobsUrl);
	const program = await rclone();
	const tmpFolder = await mkdtemp(path.join(tmpdir(), "spillway-rclone-"));
	const beganMs = Date.now();
	let [toldMs, fetchedBytes] = [beganMs, 0];
	try {
		const known = (await cache?.fill(uri, target)) ?? false;
		const warm = known && (await stat(target)).isDirectory();
		await rcloneInto(source, target, {
			program,
			tmpFolder,
			warm,
			...(signal && { signal }),
			onProgress: (progress) => {
				fetchedBytes = progress.bytes;
				onBytes?.(fetchedBytes);
				if (Date.now() - toldMs < REPORT_EVERY_MS) return;
				toldMs = Date.now();
				log(`staging ${uri}: ${progressText(progress)}`);
			},
		});
		if (hasNoFolders(source) && (await isNothing(target)))
			throw new StagingError(`nothing found at ${uri}. Check the path, including upper and lower case`);
		const seconds = (Date.now() - beganMs) / 1000;
		log(`staged ${uri}: ${sizeText(fetchedBytes)} fetched in ${seconds.toFixed(1)} s${known ? ", the rest was already here" : ""}`);
		if (cache !== null && (!known || fetchedBytes > 0)) {
			await cache.keep(uri, target).catch((error: unknown) => log(`could not cache ${uri} for later attempts: ${String(error)}`));
		}
	} finally {
		await rm(tmpFolder, { recursive: true, force: true });
	}
}

/** rclone's types of stores that have object names but no folders. */
const BUCKETS = new Set(["azureblob", "b2", "google cloud storage", "oracleobjectstorage", "s3", "storj", "swift"]);

/** In these stores an empty folder and a missing one look the same, and rclone takes a wrong path for an empty folder. */
function hasNoFolders(source: RcloneSource): boolean {
	return source.kind === "remote" && BUCKETS.has(source.options["type"] ?? "");
}

async function isNothing(target: string): Promise<boolean> {
	const found = await stat(target).catch(() => null);
	return found === null || (found.isDirectory() && (await readdir(target)).length === 0);
}

function progressText({ bytes, totalBytes, bytesPerSecond }: CopyProgress): string {
	const share = totalBytes > 0 ? ` (${Math.floor((100 * bytes) / totalBytes)}%)` : "";
	return `${sizeText(bytes)} of ${sizeText(totalBytes)}${share}, ${sizeText(bytesPerSecond)}/s`;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

function sizeText(bytes: number): string {
	const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
	return `${power === 0 ? Math.round(bytes) : (bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`;
}
