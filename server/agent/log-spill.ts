import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import type { AgentLogLine } from "./protocol.ts";

const READ_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Lines that wait on disk, first in, first out, as one JSON value per line. Only this process uses the file. */
export class LogSpill {
	readonly #fd: number;
	#readAt = 0;
	#writeAt = 0;

	constructor(file: string) {
		this.#fd = openSync(file, "w+", 0o600);
	}

	get bytes(): number {
		return this.#writeAt - this.#readAt;
	}

	/** Returns whether the line was written. If the disk is full, the file stays unchanged. */
	append(line: AgentLogLine): boolean {
		const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
		try {
			for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at, this.#writeAt + at);
		} catch {
			return false;
		}
		this.#writeAt += bytes.length;
		return true;
	}

	/** Removes and returns the next lines, about a megabyte of them. */
	take(): AgentLogLine[] {
		if (this.bytes === 0) return [];
		const chunk = Buffer.alloc(Math.min(READ_BYTES, this.bytes));
		const length = readSync(this.#fd, chunk, 0, chunk.length, this.#readAt);
		const end = chunk.lastIndexOf(NEWLINE, length - 1) + 1;
		this.#readAt += end;
		if (this.bytes === 0) {
			ftruncateSync(this.#fd, 0);
			this.#readAt = 0;
			this.#writeAt = 0;
		}
		const text = chunk.toString("utf8", 0, end);
		return text
			.split("\n")
			.filter((l) => l !== "")
			.map(parseOwn);
	}

	close(): void {
		closeSync(this.#fd);
	}
}

/** A line written by `append`. */
function parseOwn(json: string): AgentLogLine {
	return JSON.parse(json) as AgentLogLine;
}
