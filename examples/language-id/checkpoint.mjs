// Checkpoints that survive a crash at any moment: written to a temporary file, synced, then renamed; a checksum
// detects a torn one.
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const KEPT = 2;
const NAME = /^step-(\d{8})\.ckpt$/;

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/**
 * Form: one line of JSON (the state's plain values, the arrays' lengths, the checksum of all that follows and of the state),
 * then the arrays' bytes.
 */
export function saveCheckpoint(folder, state, arrays) {
	mkdirSync(folder, { recursive: true });
	const body = Buffer.concat(Object.values(arrays).map((a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength)));
	const lengths = Object.fromEntries(Object.entries(arrays).map(([name, a]) => [name, a.length]));
	const checksum = sha256(Buffer.concat([Buffer.from(JSON.stringify({ state, lengths })), body]));
	const name = `step-${String(state.step).padStart(8, "0")}.ckpt`;
	const path = join(folder, name);
	// The process id keeps two writers apart; the name does not match NAME, so that a reader never sees a half-written file.
	const temporary = `${path}.${process.pid}.tmp`;
	const file = openSync(temporary, "w");
	try {
		for (const part of [Buffer.from(`${JSON.stringify({ state, lengths, checksum })}\n`), body]) {
			for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
		}
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
	renameSync(temporary, path);
	const directory = openSync(folder, "r");
	fsyncSync(directory);
	closeSync(directory);
	for (const old of checkpointNames(folder).slice(KEPT)) rmSync(join(folder, old), { force: true });
	return path;
}

/** Newest first. */
function checkpointNames(folder) {
	try {
		return readdirSync(folder)
			.filter((name) => NAME.test(name))
			.sort()
			.reverse();
	} catch (error) {
		if (error.code === "ENOENT") return [];
		throw error;
	}
}

function readCheckpoint(path) {
	const bytes = readFileSync(path);
	const end = bytes.indexOf(10);
	if (end < 0) throw new Error("it has no header");
	const { state, lengths, checksum } = JSON.parse(bytes.toString("utf8", 0, end));
	const body = bytes.subarray(end + 1);
	if (sha256(Buffer.concat([Buffer.from(JSON.stringify({ state, lengths })), body])) !== checksum) throw new Error("its checksum is wrong");
	const arrays = {};
	let at = 0;
	for (const [name, length] of Object.entries(lengths)) {
		// Copied, because a Float32Array must begin at a multiple of four.
		arrays[name] = new Float32Array(new Uint8Array(body.subarray(at, at + length * 4)).buffer);
		at += length * 4;
	}
	return { state, arrays };
}

/** The newest complete checkpoint that `accepts` (a function that returns why not, or null); null if there is none. */
export function loadNewestCheckpoint(folder, accepts, log) {
	for (const name of checkpointNames(folder)) {
		try {
			const checkpoint = readCheckpoint(join(folder, name));
			const reason = accepts(checkpoint.state);
			if (reason === null) return { ...checkpoint, name };
			log(`ignored checkpoint ${name}: ${reason}`);
		} catch (error) {
			log(`ignored checkpoint ${name}: ${error.message}`);
		}
	}
	return null;
}
