import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { JsonItems } from "#server/simulation/trace-file/json-items.ts";
import { csvRowReader } from "#server/simulation/trace-file/parse-csv.ts";
import { isJson, jsonRowReader, missingArrayError } from "#server/simulation/trace-file/parse-json.ts";
import { sacctRowReader } from "#server/simulation/trace-file/parse-sacct.ts";
import { clusterLogReader, isClusterLog } from "#server/simulation/trace-file/public-logs.ts";
import { namer, noNotes, type TraceFormat } from "#server/simulation/trace-file/read-trace.ts";
import { BadRow, TRACE_LIMITS } from "#server/simulation/trace-file/trace-rows.ts";
import type { RowReader, TraceNotes } from "#server/simulation/trace-file/types.ts";
import { copyOf, type HistoryRow, JobColumns } from "./columns.ts";
import { type Line, linesOf, peek } from "./lines.ts";

/** Most bad rows listed individually; the rest are counted. */
export const LISTED_BAD_ROWS = 20;

export interface BadRowNote {
	line: number;
	column: string;
	message: string;
	fix: string;
}

export interface History {
	format: TraceFormat | "records";
	/** Submissions are ms from `startMs`. */
	jobs: JobColumns;
	/** UTC ms of the first submission (sacct), or of the trace's 0 (CSV). */
	startMs: number;
	/** False: a CSV trace has no weekdays, and `startMs` is assumed. */
	isStartKnown: boolean;
	notes: TraceNotes;
	badRows: { count: number; first: BadRowNote[] };
}

export interface ReadHistoryOptions {
	/** UTC ms of a CSV trace's 0. Absent: DEFAULT_START_MS. */
	startMs?: number | undefined;
	acceleratorsNamed?: (name: string) => readonly string[];
	/** Rows read so far, and the share of the bytes (0 to 1). */
	onProgress?: (rows: number, share: number) => void;
}

/** A Monday, so that a trace without dates starts with a full week: an assumption. */
export const DEFAULT_START_MS = Date.UTC(2026, 0, 5);

const PROGRESS_EVERY_ROWS = 50_000;

/**
 * Reads a recorded history row by row: CSV (docs/simulator.md, and `wait_s`), `sacct --parsable2`, or JSON of Slurm's REST API or kubectl,
 * gzipped or not. Invalid rows are counted with their lines, and never stop the reading.
 * @throws SpillwayError `not_found` for an unreadable file, `invalid_input` when no row is a job with GPU time.
 */
export async function readHistoryFile(file: string, options: ReadHistoryOptions = {}): Promise<History> {
	const bytes = openTrace(file);
	return readHistory(bytes.stream, file, {
		...options,
		onProgress: (rows) => options.onProgress?.(rows, bytes.size === 0 ? 1 : Math.min(1, bytes.read() / bytes.size)),
	});
}

/** Like readHistoryFile, from chunks of text bytes. `name` is the file's name in errors. */
export async function readHistory(chunks: AsyncIterable<Uint8Array>, name: string, options: ReadHistoryOptions = {}): Promise<History> {
	const reading = new Reading(name, options);
	try {
		for await (const batch of reading.rowsOf(chunks)) for (const { text, number } of batch) reading.line(text, number);
	} catch (cause) {
		if (cause instanceof SpillwayError) throw cause;
		throw new SpillwayError("invalid_input", `Could not read ${name}: ${cause instanceof Error ? cause.message : String(cause)}.`, {
			fix: "Check that the file is complete (gzip -t) and readable.",
			cause,
		});
	}
	return reading.finish();
}

class Reading {
	readonly #name: string;
	readonly #options: ReadHistoryOptions;
	readonly #notes = noNotes();
	readonly #jobs = new JobColumns();
	readonly #ids = new Map<string, number>();
	readonly #first: BadRowNote[] = [];
	#read: RowReader | null = null;
	#format: TraceFormat = "csv";
	#badRows = 0;
	#rows = 0;
	#firstSubmitMs = Number.POSITIVE_INFINITY;

	constructor(name: string, options: ReadHistoryOptions) {
		this.#name = name;
		this.#options = options;
	}

	/** Lines, or the jobs of a JSON file. */
	async *rowsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
		const { first, all } = await peek(chunks);
		if (!isJson(new TextDecoder().decode(first))) {
			yield* linesOf(all);
			return;
		}
		this.#format = "json";
		this.#read = jsonRowReader({ notes: this.#notes, named: namer(this.#options.acceleratorsNamed) });
		const items = new JsonItems(this.#name);
		const decoder = new TextDecoder();
		for await (const chunk of all) yield items.push(decoder.decode(chunk, { stream: true }));
		yield items.end();
		if (!items.hasArray) throw missingArrayError(this.#name);
	}

	line(text: string, number: number): void {
		if (this.#read === null) {
			this.#read = this.#header(text);
			return;
		}
		if (++this.#rows > TRACE_LIMITS.rows)
			throw new SpillwayError("invalid_input", `${this.#name} has more than ${TRACE_LIMITS.rows} rows.`, { fix: "Split it by time." });
		if (this.#rows % PROGRESS_EVERY_ROWS === 0) this.#options.onProgress?.(this.#rows, 0);
		try {
			const job = this.#read(text);
			if (!job) return;
			this.#refuseDuplicate(job.id, number);
			this.#firstSubmitMs = Math.min(this.#firstSubmitMs, job.submitMs);
			this.#jobs.add(rowOf(job));
		} catch (error) {
			if (!(error instanceof BadRow)) throw error;
			this.#badRows++;
			const { column, message, fix } = error;
			if (this.#first.length < LISTED_BAD_ROWS) this.#first.push({ line: number, column, message, fix });
		}
	}

	finish(): History {
		if (this.#jobs.length === 0) throw this.#noJobs();
		this.#options.onProgress?.(this.#rows, 1);
		const isDated = this.#format !== "csv";
		const startMs = isDated ? this.#firstSubmitMs : (this.#options.startMs ?? DEFAULT_START_MS);
		if (isDated) this.#jobs.shift(-this.#firstSubmitMs);
		this.#notes.badRows = this.#badRows;
		return {
			format: this.#format,
			jobs: this.#jobs,
			startMs,
			isStartKnown: isDated || this.#options.startMs !== undefined,
			notes: this.#notes,
			badRows: { count: this.#badRows, first: this.#first },
		};
	}

	#header(text: string): RowReader {
		const header = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
		this.#format = header.includes("|") ? "sacct" : isClusterLog(header) ? "log" : "csv";
		const input = { name: this.#name, header, notes: this.#notes, named: namer(this.#options.acceleratorsNamed) };
		if (this.#format === "log") return clusterLogReader(input);
		return this.#format === "sacct" ? sacctRowReader(input) : csvRowReader(input);
	}

	#refuseDuplicate(id: string, line: number): void {
		const earlier = this.#ids.get(id);
		if (earlier !== undefined)
			throw new BadRow(
				"job_id",
				`Job ${id.slice(0, 40)} is already in line ${earlier}.`,
				"Give each job its own id (sacct: omit --duplicates).",
			);
		this.#ids.set(copyOf(id), line);
	}

	#noJobs(): SpillwayError {
		const { withoutGpus, neverStarted } = this.#notes;
		const [first] = this.#first;
		const why = first ? ` Line ${first.line}: ${first.message}` : "";
		return new SpillwayError(
			"invalid_input",
			`${this.#name} has no job that used a GPU (${this.#rows} rows: ${withoutGpus} without GPUs, ${neverStarted} never started, ${this.#badRows} unreadable).${why}`,
			{
				fix:
					first?.fix ??
					"Start with a header: job_id,submit_s,duration_s,gpus, or use the output of sacct --parsable2, sacct --json or kubectl get jobs -o json.",
			},
		);
	}
}

/** A job of a trace is burst work, unless its deadline shows that it can wait: as the simulator submits it (replay/trace-spec.ts). */
export function rowOf(job: TraceJob): HistoryRow {
	return {
		submitMs: job.submitMs,
		durationMs: job.durationMs,
		gpus: job.gpus,
		team: job.team,
		user: job.user,
		name: null,
		workloadClass: job.deadlineKind === "soft" || job.deadlineKind === "best" ? "baseline" : "burst",
		gpuModel: job.accelerators.length === 0 ? null : job.accelerators.join(" or "),
		waitMs: job.waitMs ?? null,
		deadlineMs: job.deadlineMs,
		status: job.status,
		...{ savesCheckpoints: null, inputGiB: null, isSensitive: null },
	};
}

function openTrace(file: string): { stream: AsyncIterable<Uint8Array>; size: number; read(): number } {
	try {
		const { size } = statSync(file);
		const magic = Buffer.alloc(2);
		const handle = openSync(file, "r");
		readSync(handle, magic, 0, 2, 0);
		closeSync(handle);
		const raw = createReadStream(file, { highWaterMark: 1 << 20 });
		const isGzip = magic[0] === 0x1f && magic[1] === 0x8b;
		const stream: Readable = isGzip ? raw.on("error", (e) => unpacked.destroy(e)).pipe(createGunzip()) : raw;
		const unpacked = stream;
		return { stream, size, read: () => raw.bytesRead };
	} catch (cause) {
		throw new SpillwayError("not_found", `Could not read the trace ${file}: ${cause instanceof Error ? cause.message : String(cause)}.`, {
			fix: "Check the path and its permissions.",
			cause,
		});
	}
}
