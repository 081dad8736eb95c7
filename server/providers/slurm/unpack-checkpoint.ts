import { spawn } from "node:child_process";
import path from "node:path";
import type { BroughtHome } from "../foreign-queue.ts";
import type { SlurmJob } from "./mapper.ts";
import { asOwner, type OwnersProgram, type Writing } from "./owners-program.ts";

type OwnedFolder = Pick<SlurmJob, "user" | "userId" | "workFolder">;

const PARTIAL = ".spillway-partial";
/** Unpacked next to the existing files, so that a partial checkpoint is never taken for a complete one. */
const UNPACK = `mkdir -p -- "$1" && cd -- "$1" && rm -rf ${PARTIAL} && mkdir ${PARTIAL} && exec tar --extract --file=- --no-same-owner --directory=${PARTIAL}`;
/** Replaces what is in the way, and keeps other files. Uses links, and copies if a file system has none. */
const INSTALL = `cd -- "$1" && { cp -r --link --remove-destination ${PARTIAL}/. . 2>/dev/null || cp -r --remove-destination ${PARTIAL}/. .; } && rm -rf ${PARTIAL}`;

const FULL = "holds files already";
const REFUSE_FULL = `[ ! -d "$1" ] || [ -z "$(ls -A -- "$1")" ] || { echo "${FULL}" >&2; exit 1; }`;

/**
 * Whether a job's checkpoint folder contains anything from which it could resume only on the cluster. An unreadable folder counts
 * as empty: writing there fails too, and that is reported.
 */
export async function hasCheckpoint(job: OwnedFolder, folder: string, writing: Writing = {}): Promise<boolean> {
	try {
		await asOwner(job, { script: REFUSE_FULL, argument: path.join(job.workFolder || "/", folder) }, writing)?.end();
		return false;
	} catch (error) {
		return error instanceof Error && error.message === FULL;
	}
}

/**
 * Writes the files below `from` to the folder `into` of a job's working folder, as the job's owner, so that their next run
 * resumes from there. Never throws: a problem is reported, and nothing is written then.
 */
export async function unpackCheckpoint(
	job: OwnedFolder,
	{ from, into }: { from: string; into: string },
	writing: Writing = {},
): Promise<BroughtHome> {
	const folder = path.join(job.workFolder || "/", into);
	const run = (script: string) => {
		const program = asOwner(job, { script, argument: folder }, writing);
		if (program === null) throw new Error(`Spillway is not root and cannot write as ${job.user}`);
		return program;
	};
	try {
		const unpacker = run(UNPACK);
		const packed = pack(from);
		const [sent, taken] = await Promise.allSettled([packed.over, feed(packed.bytes, unpacker)]);
		// If reading failed, unpacking fails too; the read error is the cause.
		if (sent.status === "rejected") throw sent.reason;
		if (taken.status === "rejected") throw taken.reason;
		await run(INSTALL).end();
		return { files: [folder], problem: null };
	} catch (error) {
		return { files: [], problem: `${folder}: ${error instanceof Error ? error.message : String(error)}` };
	}
}

async function feed(bytes: AsyncIterable<Uint8Array>, program: OwnersProgram): Promise<void> {
	try {
		for await (const chunk of bytes) await program.write(chunk);
	} finally {
		await program.end();
	}
}

/** The files below a folder as a tar stream; `over` rejects if they could not all be read. */
function pack(folder: string): { bytes: AsyncIterable<Uint8Array>; over: Promise<void> } {
	const tar = spawn("tar", ["--create", "--file=-", `--directory=${folder}`, "."], { stdio: ["ignore", "pipe", "pipe"] });
	let said = "";
	tar.stderr.on("data", (chunk: Buffer) => {
		said = `${said}${chunk.toString("utf8")}`.slice(0, 500);
	});
	const over = new Promise<void>((resolve, reject) => {
		tar.once("error", reject);
		tar.once("close", (code) => {
			// The reader stopped early and reports why.
			if (code === 0 || !tar.stdout.readableEnded) resolve();
			else reject(new Error(`the checkpoint could not be read: ${said.trim() || "tar was ended"}`));
		});
	});
	return { bytes: tar.stdout, over };
}
