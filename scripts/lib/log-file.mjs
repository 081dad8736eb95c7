// The log of a long-running program. The program writes it; this module limits its size and reads new lines.
import { closeSync, copyFileSync, fstatSync, openSync, readSync, truncateSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { lineReader } from "./run.mjs";

const LOG_BYTES_MAX = 10_000_000;
/** Bytes per read; the rest of a burst follows at the next read. */
const READ_BYTES_MAX = 1_000_000;

/**
 * @param {string} file
 * @returns {{fd: number, look: (onLine: (line: string) => void) => void, close: () => void}} `fd`: for the program's stdout and stderr. It
 *   appends, so the file may be cut while the program runs. `look` calls `onLine` for each line since the last call, and moves the log
 *   to `FILE.1` when it is too long.
 */
export function openLog(file, bytesMax = LOG_BYTES_MAX) {
	const fd = openSync(file, "a+", 0o600);
	let offset = fstatSync(fd).size;
	let pass = () => undefined;
	const decoder = new StringDecoder("utf8");
	const read = lineReader((line) => pass(line));
	return {
		fd,
		look(onLine) {
			const { size } = fstatSync(fd);
			if (size < offset) offset = 0;
			const bytes = Buffer.alloc(Math.min(size - offset, READ_BYTES_MAX));
			const count = readSync(fd, bytes, 0, bytes.length, offset);
			offset += count;
			pass = onLine;
			read(decoder.write(bytes.subarray(0, count)));
			if (offset > bytesMax) offset = rotate(file);
		},
		close: () => closeSync(fd),
	};
}

/** Lines written between the copy and the cut are lost. On a full disk the old log is deleted, so that the new one has space. */
function rotate(file) {
	try {
		copyFileSync(file, `${file}.1`);
	} catch (error) {
		if (error.code !== "ENOSPC") throw error;
		truncateSync(`${file}.1`);
	}
	truncateSync(file);
	return 0;
}

/**
 * Whether to show a line in the terminal: errors of Spillway's programs, and anything that is neither a log line nor a progress
 * line of Next.
 */
export function isForPeople(line) {
	if (line.startsWith("{")) return line.includes('"level":"error"');
	return line.trim() !== "" && !/^\s*(\d{4}-\d{2}-\d{2}T|[✓▲○-] )/.test(line);
}
