import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { parseCsvTrace } from "./parse-csv.ts";
import { isJson, parseJsonTrace } from "./parse-json.ts";
import { parseDated, parseSacct } from "./parse-sacct.ts";
import { clusterLogReader, isClusterLog } from "./public-logs.ts";
import { RowProblems, TRACE_LIMITS } from "./trace-rows.ts";
import type { TraceInput, TraceNotes } from "./types.ts";

/** log: a public cluster log with dated submissions. */
export type TraceFormat = "csv" | "sacct" | "json" | "log";

export interface Trace {
	/** By submission, then in file order. sacct: the first is submitted at 0; CSV: at its submit_s. */
	jobs: TraceJob[];
	format: TraceFormat;
	notes: TraceNotes;
	/** UTC ms of the first submission, when the file contains it. */
	recordedStartMs: number | null;
}

export interface TraceOptions {
	/** Skip bad rows and count them. */
	lenient?: boolean;
	/** The models that a recorded name may refer to (server/rates/accelerators); unknown names are kept as written. */
	acceleratorsNamed?: (name: string) => readonly string[];
}

/**
 * The jobs of a recorded trace: CSV with a header (`job_id,submit_s,duration_s,gpus` and more), `sacct --parsable2`, JSON of Slurm's REST
 * API or kubectl, or a public trace as downloaded (public-logs.ts), gzipped or not.
 * @throws SpillwayError `not_found` for an unreadable file, `invalid_input` with the lines of bad rows.
 */
export async function readTrace(file: string, options: TraceOptions = {}): Promise<TraceJob[]> {
	return (await readTraceFile(file, options)).jobs;
}

/** Like readTrace, but also returns what was left out. */
export async function readTraceFile(file: string, options: TraceOptions = {}): Promise<Trace> {
	return parseTrace(readTextFile(file, "trace"), file, options);
}

/** Total: any text yields a trace or a SpillwayError. `name` is the file's name in errors. */
export function parseTrace(text: string, name: string, options: TraceOptions = {}): Trace {
	const problems = new RowProblems(name, options.lenient ?? false);
	const notes = noNotes();
	const { jobs, format, recordedStartMs } = readJobs({ name, text, problems, notes, named: namer(options.acceleratorsNamed) });
	problems.throwIfAny();
	notes.badRows = problems.count;
	if (jobs.length === 0)
		throw new SpillwayError("invalid_input", `${name}: the trace holds no job that used a GPU${leftOut(notes)}.`, {
			fix: EMPTY_FIXES[format],
		});
	// Most traces are already in order, and sorting a million ordered jobs takes a second.
	if (jobs.some((job, i) => i > 0 && (jobs[i - 1]?.submitMs ?? 0) > job.submitMs)) jobs.sort((a, b) => a.submitMs - b.submitMs);
	return { jobs, format, notes, recordedStartMs };
}

const EMPTY_FIXES: Record<TraceFormat, string> = {
	csv: "Give at least one row with gpus and duration_s above 0.",
	sacct: "Ask sacct for AllocTRES, and for a time in which jobs ran.",
	log: "Download the whole file again.",
	json: "List a time in which jobs with GPUs ran and ended.",
};

function readJobs(input: Omit<TraceInput, "header" | "body">): Pick<Trace, "jobs" | "format" | "recordedStartMs"> {
	const { text, name } = input;
	if (isJson(text)) return { ...parseJsonTrace(input), format: "json" };
	const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
	const firstBreak = text.indexOf("\n", start);
	const end = firstBreak < 0 ? text.length : firstBreak;
	const header = text.slice(start, end).replace(/\r$/, "");
	if (header.trim() === "")
		throw new SpillwayError("invalid_input", `${name}: ${text.trim() === "" ? "the trace is empty" : "the first line is empty"}.`, {
			fix: "Begin with a header: job_id,submit_s,duration_s,gpus, or use the output of sacct --parsable2 with its header.",
		});
	const rows = { ...input, header, body: { offset: end + 1, line: 2 } };
	if (header.includes("|")) return { ...parseSacct(rows), format: "sacct" };
	return isClusterLog(header) ? { ...parseDated(rows, clusterLogReader(rows)), format: "log" } : { ...parseCsvTrace(rows), format: "csv" };
}

/** Initial notes, before reading. */
export function noNotes(): TraceNotes {
	return { withoutGpus: 0, neverStarted: 0, fractionsRoundedUp: 0, stillRunning: 0, badRows: 0, ignoredColumns: [] };
}

function leftOut({ withoutGpus, neverStarted, badRows }: TraceNotes): string {
	const parts = [
		withoutGpus > 0 ? `${withoutGpus} rows had no GPU` : "",
		neverStarted > 0 ? `${neverStarted} never started` : "",
		badRows > 0 ? `${badRows} could not be read` : "",
	].filter((part) => part !== "");
	return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

/** Alibaba's names (its cluster-trace-gpu-v2023 lists alternatives as `V100M16|V100M32`). */
const OTHER_NAMES: Readonly<Record<string, string>> = { V100M16: "V100-16GB", V100M32: "V100-32GB" };

/** Reads `a|b` (or `a;b`, `a/b`) as alternatives. The same few lists recur, so each is parsed once. */
export function namer(known: TraceOptions["acceleratorsNamed"]): (list: string) => string[] {
	const cache = new Map<string, string[]>([["", []]]);
	return (list) => {
		const cached = cache.get(list);
		if (cached) return cached;
		const names = list.split(/[|;/]/).map((n) => n.trim());
		const resolved = names.filter((n) => n !== "").flatMap((n) => resolve(OTHER_NAMES[n] ?? n, known));
		const unique = [...new Set(resolved)];
		if (cache.size < 10_000) cache.set(list, unique);
		return unique;
	};
}

function resolve(name: string, known: TraceOptions["acceleratorsNamed"]): readonly string[] {
	const models = known?.(name) ?? [];
	return models.length > 0 ? models : [name];
}

/**
 * Returns a file's text, decompressed if it is gzipped (judged by its first bytes, not by its name).
 * @throws SpillwayError with the file, the cause and the fix.
 */
export function readTextFile(file: string, what: string): string {
	let bytes: Buffer;
	try {
		bytes = readFileSync(file);
	} catch (error) {
		throw unreadable(file, what, error);
	}
	if (bytes.length > TRACE_LIMITS.bytes) throw tooLarge(file, what);
	if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = unpack(bytes, file, what);
	return bytes.toString("utf8");
}

function unpack(bytes: Buffer, file: string, what: string): Buffer {
	try {
		return gunzipSync(bytes, { maxOutputLength: TRACE_LIMITS.bytes });
	} catch (error) {
		if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge(file, what);
		throw new SpillwayError("invalid_input", `The ${what} ${file} cannot be unpacked: it is cut off or no gzip file.`, {
			fix: "Look at it with gzip -t, and copy it again.",
			cause: error,
		});
	}
}

function tooLarge(file: string, what: string): SpillwayError {
	return new SpillwayError("invalid_input", `The ${what} ${file} is larger than ${TRACE_LIMITS.bytes / 1024 / 1024} MiB.`, {
		fix: "Split it by time.",
	});
}

function unreadable(file: string, what: string, error: unknown): SpillwayError {
	const why =
		{ ENOENT: "there is no such file", EACCES: "it may not be read", EISDIR: "it is a directory" }[codeOf(error)] ?? codeOf(error);
	return new SpillwayError("not_found", `The ${what} ${file} cannot be read: ${why}.`, {
		fix: "Check the path and its rights.",
		cause: error,
	});
}

function codeOf(error: unknown): string {
	return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown";
}
