import { writeSync } from "node:fs";
import process from "node:process";

const STDOUT = 1;
const STDERR = 2;
const LINE_BREAK = "\n";

/** One JSON line on stdout, or on stderr for an error. */
export function logLine(level: "info" | "warn" | "error", message: string, facts: Record<string, unknown> = {}): void {
	writeLine(level === "error" ? STDERR : STDOUT, JSON.stringify({ at: new Date().toISOString(), level, message, ...facts }));
}

/**
 * Bypasses Node's streams: a stream that failed once, because of a full disk or a closed reader, stays closed. A line
 * that cannot be written is lost, and the next one is tried again.
 */
export function writeLine(fd: 1 | 2, line: string): void {
	try {
		writeSync(fd, line + LINE_BREAK);
	} catch {
		// There is nowhere left to report it.
	}
}

/** Libraries write to the streams too. Without a listener, a full disk or a closed pipe would end the process. */
export function surviveLostOutput(): void {
	for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
