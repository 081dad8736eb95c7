import { statfs } from "node:fs/promises";
import { messageOf } from "../client.ts";
import { findEngine } from "../container/find-engine.ts";
import { type PullAccess, pullSignedIn } from "../container/pull-signed-in.ts";
import type { PreparedReport, PrepareOrder } from "../protocol.ts";
import { rcloneSourceOf } from "../rclone/source.ts";
import { StagingError } from "../safe-path.ts";
import type { PreparedData } from "./prepared-data.ts";

/** Room that an image, or data of unknown size, must find on the disk. */
const UNKNOWN_BYTES = 20 * 1024 ** 3;
/** Data is fetched only if this many times its size is free, so that the job has room. */
const ROOM = 2;
const PROBLEM_CHARACTERS_MAX = 500;

export interface PrepareTools extends Omit<PullAccess, "signal"> {
	data: PreparedData;
	/** `none`: the machine runs commands without containers. */
	containers: boolean;
	searchPath: string;
	/** @throws StagingError if rclone is not available */
	rclone(): Promise<string>;
	freeBytes?: (folder: string) => Promise<number>;
	/** Ends with the machine. Programs that are being installed are not interrupted, because the job needs them too. */
	machineSignal: AbortSignal;
	/** Gets all items that are ready or failed, whenever one more is. */
	onChange(items: readonly PreparedReport[]): void;
}

export interface Preparing {
	/** Ready and failed so far. */
	items: readonly PreparedReport[];
	done: Promise<void>;
	stop(): Promise<void>;
}

/**
 * Pulls images and fetches data on a machine without a job, one after another of each kind. A failure is reported and never thrown.
 * `stop` ends it; whole layers and files stay.
 */
export function startPreparing(order: PrepareOrder, tools: PrepareTools): Preparing {
	const stop = new AbortController();
	const signal = AbortSignal.any([stop.signal, tools.machineSignal]);
	const items: PreparedReport[] = [];
	const prepare = async (kind: PreparedReport["kind"], name: string, work: () => Promise<Pick<PreparedReport, "bytes" | "digest">>) => {
		if (signal.aborted) return;
		try {
			items.push({ kind, name, ...(await work()), problem: null });
		} catch (error) {
			if (signal.aborted) return;
			tools.log(`could not prepare ${name}: ${messageOf(error)}`);
			items.push({ kind, name, bytes: null, digest: null, problem: messageOf(error).slice(0, PROBLEM_CHARACTERS_MAX) });
		}
		tools.onChange([...items]);
	};
	const images = async (): Promise<void> => {
		for (const name of order.images) await prepare("image", name, () => prepareImage(name, tools, signal));
	};
	const data = async (): Promise<void> => {
		for (const set of order.data) await prepare("data", set.uri, () => prepareData(set, tools, signal));
	};
	const done = Promise.all([images(), data()]).then(() => {});
	return {
		items,
		done,
		stop: async () => {
			stop.abort();
			await done;
		},
	};
}

async function prepareImage(name: string, tools: PrepareTools, signal: AbortSignal): Promise<Pick<PreparedReport, "bytes" | "digest">> {
	if (!tools.containers) throw new StagingError("this instance runs commands without containers");
	await checkRoom(UNKNOWN_BYTES, tools);
	const engine = await unlessAborted(findEngine({ searchPath: tools.searchPath, signal: tools.machineSignal, log: tools.log }), signal);
	const { bytes, digest } = await pullSignedIn(engine, name, { ...tools, signal });
	return { bytes, digest };
}

async function prepareData(
	{ from, sizeGiB }: PrepareOrder["data"][number],
	tools: PrepareTools,
	signal: AbortSignal,
): Promise<Pick<PreparedReport, "bytes" | "digest">> {
	// The job would fetch it again: without a listing nothing shows whether it changed.
	if (rcloneSourceOf(from, {}).kind === "address") throw new StagingError("a plain web address is fetched by the job itself");
	await checkRoom(sizeGiB === null ? UNKNOWN_BYTES : ROOM * sizeGiB * 1024 ** 3, tools);
	const rclone = await unlessAborted(tools.rclone(), signal);
	const fetching = { remotes: {}, rclone: async () => rclone, ownHost: false, log: tools.log };
	return { bytes: await tools.data.fetch(from, fetching, signal), digest: null };
}

/** The work itself continues. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	const aborted = new Promise<never>((_, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
	return Promise.race([work, aborted]);
}

async function checkRoom(bytes: number, { folder, freeBytes = freeBytesOf }: PrepareTools): Promise<void> {
	const free = await freeBytes(folder);
	if (free < bytes) throw new StagingError(`the disk has ${inGiB(free)} free, and ${inGiB(bytes)} are needed`);
}

async function freeBytesOf(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder);
	return bavail * bsize;
}

function inGiB(bytes: number): string {
	return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
