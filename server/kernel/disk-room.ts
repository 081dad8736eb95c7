import { statfs } from "node:fs/promises";
import type { Readable } from "node:stream";
import { SpillwayError } from "./errors.ts";

const LOOK_MS = 2_000;
/** Writing resumes only at this multiple of the reserve, so that it does not flicker around the limit. */
const RESUME_SHARE = 1.25;
const MIB = 1024 * 1024;

export interface DiskRoom {
	/** null: enough. Otherwise a sentence for people. */
	problem(): string | null;
	/** @throws SpillwayError `insufficient_storage` */
	demand(): void;
}

/** Bytes that an unprivileged process may still write below a folder. */
export type FreeBytes = (folder: string) => Promise<number>;

export const freeBytes: FreeBytes = async (folder) => {
	const { bavail, bsize } = await statfs(folder);
	return bavail * bsize;
};

/**
 * Watches the free space below `folder` until `signal` aborts, every two seconds. With less than `reserveBytes` there
 * is no room until a quarter more than that is free. A folder that cannot be measured is assumed to have room.
 */
export async function watchDiskRoom(options: {
	folder: string;
	reserveBytes: number;
	signal: AbortSignal;
	free?: FreeBytes;
	lookMs?: number;
}): Promise<DiskRoom> {
	const { folder, reserveBytes, signal, free = freeBytes, lookMs = LOOK_MS } = options;
	let problem: string | null = null;
	const look = async (): Promise<void> => {
		const bytes = await free(folder).catch(() => Number.POSITIVE_INFINITY);
		const needed = problem === null ? reserveBytes : reserveBytes * RESUME_SHARE;
		problem = bytes < needed ? sentence(folder, bytes, reserveBytes * RESUME_SHARE) : null;
	};
	await look();
	const timer = setInterval(() => void look(), lookMs);
	timer.unref();
	signal.addEventListener("abort", () => clearInterval(timer), { once: true });
	return {
		problem: () => problem,
		demand() {
			if (problem === null) return;
			throw new SpillwayError("insufficient_storage", problem, {
				fix: "Ask a platform engineer to free some space. Spillway then continues automatically.",
			});
		},
	};
}

/**
 * Passes a request's body on while there is room for it. An error does not end the connection, so that the client gets its reason.
 * @throws SpillwayError `insufficient_storage` once there is no room
 */
export async function* whileRoom(room: DiskRoom | undefined, body: Readable): AsyncGenerator<Uint8Array> {
	for await (const chunk of body.iterator({ destroyOnReturn: false })) {
		room?.demand();
		yield chunk;
	}
}

function sentence(folder: string, bytes: number, needed: number): string {
	const mib = (n: number): string => Math.floor(n / MIB).toLocaleString("en-US");
	return `The disk of ${folder} has ${mib(bytes)} MiB left. Spillway accepts changes again at ${mib(needed)} MiB.`;
}
