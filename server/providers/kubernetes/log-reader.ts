import { LOG_LINE_BYTES_MAX, takeLines } from "#server/agent/log-lines.ts";
import type { LogLine } from "../driver.ts";

/** A line of a container's log: its text, and when the cluster wrote it, in ns since its own epoch. */
export interface TimedLine {
	ns: number;
	text: string;
}

const NS_PER_MS = 1_000_000;

/**
 * Parses `2026-11-22T07:00:00.123456789Z text` into ns since `epochMs`. A float holds whole ns for 104 days, longer than any job,
 * and the cluster gives each line a distinct time. The time of the last read line is therefore a position in the log. Unlike a
 * byte count, it remains valid when the node discards old parts of a long log.
 */
function timedLine(line: string, epochMs: number): TimedLine | null {
	const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) ?(.*)$/su.exec(line);
	if (!match) return null;
	const [, seconds, fraction = "", zone, text = ""] = match;
	const wholeMs = Date.parse(`${seconds}${zone}`);
	return { ns: (wholeMs - epochMs) * NS_PER_MS + Number(fraction.padEnd(9, "0")), text };
}

/** Lines after a position, in order. A line that spans several of the cluster's lines keeps its time. */
export async function* timedLines(stream: ReadableStream<Uint8Array>, epochMs: number, afterNs: number): AsyncGenerator<TimedLine> {
	let rest: Uint8Array = new Uint8Array();
	const lineBytesMax = LOG_LINE_BYTES_MAX + 64;
	for await (const chunk of chunksThenEnd(stream)) {
		const bytes = Buffer.concat([rest, chunk ?? new Uint8Array()]);
		const taken = takeLines(bytes, { atEnd: chunk === null, lineBytesMax });
		rest = bytes.subarray(taken.usedBytes);
		for (const line of taken.lines) {
			const timed = timedLine(line, epochMs);
			if (timed && timed.ns > afterNs) yield timed;
		}
	}
}

async function* chunksThenEnd(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array | null> {
	for await (const chunk of stream) yield chunk;
	yield null;
}

/** The second to request from: the server ignores fractions of a second. */
export function sinceTimeOf(epochMs: number, afterNs: number): { sinceTime?: string } {
	if (afterNs <= 0) return {};
	return { sinceTime: `${new Date(Math.floor((epochMs + afterNs / NS_PER_MS) / 1_000) * 1_000).toISOString().slice(0, 19)}Z` };
}

/** As many lines as fit, at least one. */
export async function takeBatch(
	lines: AsyncIterable<TimedLine> | Iterable<TimedLine>,
	epochMs: number,
	maxBytes: number,
): Promise<{ lines: LogLine[]; lastNs: number | null }> {
	const taken: LogLine[] = [];
	let [bytes, lastNs]: [number, number | null] = [0, null];
	for await (const { ns, text } of lines) {
		bytes += Buffer.byteLength(text) + 1;
		if (taken.length > 0 && bytes > maxBytes) break;
		taken.push({ atMs: epochMs + Math.floor(ns / NS_PER_MS), stream: "stdout", text });
		lastNs = ns;
	}
	return { lines: taken, lastNs };
}

/** Bytes kept of the log of a pod that is being deleted. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;

/**
 * The log of a pod that is being deleted. Its node discards it with the container, before the end of the log could be requested.
 * It is therefore followed from the moment the deletion is known, and the last 8 MiB are kept until the attempt is forgotten.
 */
export class KeptLog {
	readonly epochMs: number;
	readonly lines: TimedLine[] = [];
	#bytes = 0;

	constructor(epochMs: number) {
		this.epochMs = epochMs;
	}

	async follow(stream: ReadableStream<Uint8Array>): Promise<void> {
		for await (const line of timedLines(stream, this.epochMs, this.lines.at(-1)?.ns ?? 0)) {
			this.lines.push(line);
			this.#bytes += line.text.length;
			while (this.#bytes > KEPT_BYTES_MAX && this.lines.length > 1) this.#bytes -= this.lines.shift()?.text.length ?? 0;
		}
	}

	after(ns: number): TimedLine[] {
		return this.lines.filter((line) => line.ns > ns);
	}
}
