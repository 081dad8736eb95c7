import { SpillwayError } from "#server/kernel/errors.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { rejectDuplicate, tooManyRows } from "./parse-csv.ts";
import { elapsedMs, limitMs, momentMs } from "./sacct-times.ts";
import { BadRow, eachLine, fieldAt, numberIn, shorten, TRACE_LIMITS, UNKNOWN_TEAM } from "./trace-rows.ts";
import type { RowInput, RowReader, TraceInput } from "./types.ts";

const KNOWN = [
	...["jobid", "submit", "start", "end", "elapsed", "elapsedraw", "state", "user", "account"],
	...["timelimit", "timelimitraw", "alloctres", "reqtres"],
] as const;
type Column = (typeof KNOWN)[number];

/** docs/simulator.md describes how to record a trace with all supported fields. */
export const SACCT_COMMAND =
	"sacct --allusers --parsable2 --format=JobID,User,Account,Partition,Submit,Start,End,ElapsedRaw,TimelimitRaw,ReqTRES,AllocTRES,State";

/**
 * `sacct --parsable2`, columns by name in any order. Times without a zone are UTC. Steps (`12.batch`) are part of their job and skipped;
 * jobs without a GPU and jobs that never started are counted.
 */
export function parseSacct(input: TraceInput): { jobs: TraceJob[]; recordedStartMs: number | null } {
	return parseDated(input, sacctRowReader(input));
}

/** All rows of a file with dated submissions; the first submission becomes 0. */
export function parseDated(input: TraceInput, readLine: RowReader): { jobs: TraceJob[]; recordedStartMs: number | null } {
	const jobs: TraceJob[] = [];
	const seen = new Map<string, number>();
	let first = Number.POSITIVE_INFINITY;
	eachLine(input.text, input.body, (line, number) => {
		if (number - 1 > TRACE_LIMITS.rows) throw tooManyRows(input.name);
		try {
			const job = readLine(line);
			if (!job) return;
			rejectDuplicate(seen, job.id, number);
			first = Math.min(first, job.submitMs);
			jobs.push(job);
		} catch (error) {
			if (!(error instanceof BadRow)) throw error;
			input.problems.add(number, error);
		}
	});
	for (const job of jobs) job.submitMs -= first;
	return { jobs, recordedStartMs: Number.isFinite(first) ? first : null };
}

/**
 * Reads lines below sacct's header; `submitMs` is UTC ms. The reader returns null for a step or a job without GPU time, and throws BadRow
 * for an invalid row.
 * @throws SpillwayError `invalid_input` when a required column is missing.
 */
export function sacctRowReader(input: RowInput): RowReader {
	const { at, width } = columnsOf(input);
	return (line) => readRow(line.split("|"), at, width, input);
}

function columnsOf({ header, name, notes }: RowInput): { at: Record<Column, number>; width: number } {
	const names = header.split("|").map((field) => field.trim().toLowerCase());
	// --parsable (without the 2) ends every line with an extra |
	const at = Object.fromEntries(KNOWN.map((column) => [column, names.indexOf(column)])) as Record<Column, number>;
	const missing = [
		...(["jobid", "submit", "state"] as const).filter((column) => at[column] < 0),
		...(at.elapsed < 0 && at.elapsedraw < 0 ? ["elapsedraw"] : []),
		...(at.alloctres < 0 && at.reqtres < 0 ? ["alloctres"] : []),
	];
	if (missing.length > 0)
		throw new SpillwayError("invalid_input", `${name}, line 1: the header has no ${missing.join(", ")}.`, {
			fix: `Record it with: ${SACCT_COMMAND}`,
			fields: missing.map((column) => ({ path: column, message: "missing column", line: 1 })),
		});
	notes.ignoredColumns = names.filter((given) => given !== "" && !(KNOWN as readonly string[]).includes(given)).map(shorten);
	return { at, width: names.length };
}

function readRow(fields: string[], at: Record<Column, number>, width: number, { notes, named }: RowInput): TraceJob | null {
	if (fields.length !== width)
		throw new BadRow(
			"row",
			`There are ${fields.length} fields, the header has ${width}.`,
			"Use --parsable2, and no field (JobName, Comment) that can hold a |.",
		);
	const text = (column: Column): string => fieldAt(fields, at[column]);
	const id = text("jobid");
	if (!/^\d/.test(id) || id.length > 200)
		throw new BadRow("jobid", `JobID is "${shorten(id)}".`, "It is a number, as 123, 123_4 or 123+0; use the output of sacct as it is.");
	if (id.includes(".")) return null;
	const tres = text("alloctres") || text("reqtres");
	const { gpus, sliced } = gpusOf(tres);
	if (gpus === 0) {
		notes.withoutGpus++;
		return null;
	}
	const status = text("state");
	const durationMs = lengthOf(text);
	if (durationMs === 0) {
		notes.neverStarted++;
		return null;
	}
	const submitMs = momentMs("Submit", text("submit"));
	if (submitMs === null) throw new BadRow("Submit", "Submit is not known.", "Leave such rows out.");
	const startMs = startOf(text("start"));
	if (sliced) notes.fractionsRoundedUp++;
	if (/^RUNNING|^SUSPENDED/i.test(status)) notes.stillRunning++;
	return {
		...{ id, submitMs, durationMs, gpus, team: text("account") || UNKNOWN_TEAM, user: text("user") || null },
		accelerators: named(requestedModels(text("reqtres") || tres)),
		...{ deadlineMs: null, deadlineKind: null },
		// "CANCELLED by 1000" names the user, which no report shows
		status: status.split(" ")[0] || null,
		limitMs: limitMs(text("timelimitraw"), text("timelimit")),
		...(startMs !== null && { waitMs: Math.max(0, startMs - submitMs) }),
	};
}

/** Start time, used for its wait only: an unreadable value counts as not recorded and does not reject the job. */
function startOf(text: string): number | null {
	try {
		return momentMs("Start", text);
	} catch (error) {
		if (error instanceof BadRow) return null;
		throw error;
	}
}

/** Run time: Slurm's own count, or from Start to End. 0: it never started. */
function lengthOf(text: (column: Column) => string): number {
	const raw = text("elapsedraw");
	if (raw !== "") return numberIn("ElapsedRaw", raw, "seconds", TRACE_LIMITS.seconds) * 1000;
	const elapsed = text("elapsed");
	if (elapsed !== "") return elapsedMs("Elapsed", elapsed);
	const start = momentMs("Start", text("start"));
	const end = momentMs("End", text("end"));
	if (start === null || end === null) return 0;
	if (end < start) throw new BadRow("End", "End is before Start.", "Leave such rows out.");
	return end - start;
}

const GPU_TRES = /^gres\/gpu(?::([^=]+))?=(\d{1,7})$/i;
/** A slice of a GPU by NVIDIA's MIG naming, such as `1g.5gb`. */
const SLICE = /^\d+g\.\d+gb/i;

/** `billing=8,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=64G,node=1`: the total, or the sum over models if there is no total. */
export function gpusOf(tres: string): { gpus: number; sliced: boolean } {
	if (!tres.includes("gres/gpu")) return { gpus: 0, sliced: false };
	let total: number | null = null;
	let byModel = 0;
	let sliced = false;
	for (const part of tres.split(",")) {
		const match = GPU_TRES.exec(part.trim());
		if (!match) {
			if (/^gres\/gpu[:=]/i.test(part.trim()))
				throw new BadRow("AllocTRES", `${shorten(part)} is no count of GPUs.`, "It reads gres/gpu=4 or gres/gpu:a100=4.");
			continue;
		}
		if (match[1] === undefined) total = Number(match[2]);
		else byModel += Number(match[2]);
		sliced ||= SLICE.test(match[1] ?? "");
	}
	return { gpus: total ?? byModel, sliced };
}

export function requestedModels(tres: string): string {
	const models = tres.split(",").flatMap((part) => GPU_TRES.exec(part.trim())?.[1] ?? []);
	return models.filter((model) => !SLICE.test(model)).join("|");
}
