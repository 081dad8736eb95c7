import { SpillwayError } from "#server/kernel/errors.ts";
import { nearestName } from "#server/kernel/nearest-name.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { isPodList, podListReader } from "./public-logs.ts";
import { BadRow, eachLine, fieldAt, numberIn, shorten, splitCsv, TRACE_LIMITS, UNKNOWN_TEAM } from "./trace-rows.ts";
import type { RowInput, RowReader, TraceInput } from "./types.ts";

const REQUIRED = ["job_id", "submit_s", "duration_s", "gpus"] as const;
const OPTIONAL = [
	"user",
	"group",
	"gpu_type",
	"status",
	"deadline_s",
	"deadline_kind",
	"limit_s",
	"wait_s",
	"parallel",
	"scale_to",
] as const;
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];
const KNOWN: readonly Column[] = [...REQUIRED, ...OPTIONAL];

/** The CSV format: columns by name, empty = unknown, times in seconds. */
export function parseCsvTrace(input: TraceInput): { jobs: TraceJob[]; recordedStartMs: null } {
	const readLine = csvRowReader(input);
	const jobs: TraceJob[] = [];
	const seen = new Map<string, number>();
	eachLine(input.text, input.body, (line, number) => {
		if (number - 1 > TRACE_LIMITS.rows) throw tooManyRows(input.name);
		try {
			const job = readLine(line);
			if (!job) return;
			rejectDuplicate(seen, job.id, number);
			jobs.push(job);
		} catch (error) {
			if (!(error instanceof BadRow)) throw error;
			input.problems.add(number, error);
		}
	});
	return { jobs, recordedStartMs: null };
}

/**
 * Reads lines below a CSV header. The reader returns null for a row without GPU time, and throws BadRow for an invalid one.
 * @throws SpillwayError `invalid_input` when a required column is missing.
 */
export function csvRowReader(input: RowInput): RowReader {
	if (isPodList(input.header)) return podListReader(input);
	const columns = columnsOf(input);
	return (line) => readRow(splitCsv(line), columns, input);
}

export function tooManyRows(name: string): SpillwayError {
	return new SpillwayError("invalid_input", `${name} has more than ${TRACE_LIMITS.rows} rows.`, { fix: "Split it by time." });
}

export function rejectDuplicate(seen: Map<string, number>, id: string, line: number): void {
	const earlier = seen.get(id);
	if (earlier !== undefined)
		throw new BadRow(
			"job_id",
			`The job ${shorten(id)} is in line ${earlier} already.`,
			"Give every job its own id (sacct: leave --duplicates out).",
		);
	seen.set(id, line);
}

interface Layout {
	at: Record<Column, number>;
	width: number;
}

function columnsOf({ header, name, notes }: RowInput): Layout {
	const names = namesOf(header, name);
	const at = Object.fromEntries(KNOWN.map((column) => [column, names.indexOf(column)])) as Record<Column, number>;
	for (const column of REQUIRED) {
		if (at[column] >= 0) continue;
		const near = names.find((given) => !(KNOWN as readonly string[]).includes(given) && nearestName(given, [column]) !== null);
		throw new SpillwayError("invalid_input", `${name}, line 1: the header has no column ${column}.`, {
			fix: near ? `Did you mean ${column} by ${shorten(near)}?` : `Begin with a header that has ${REQUIRED.join(", ")}.`,
			fields: [{ path: column, message: "missing column", line: 1 }],
		});
	}
	notes.ignoredColumns = names.filter((given) => !(KNOWN as readonly string[]).includes(given)).map(shorten);
	return { at, width: names.length };
}

function namesOf(header: string, name: string): string[] {
	try {
		const names = splitCsv(header).map((field) => field.trim().toLowerCase());
		const double = names.find((given, i) => names.indexOf(given) !== i);
		if (double !== undefined)
			throw new BadRow("row", `The column ${shorten(double) || "without a name"} is there twice.`, "Keep one of them.");
		return names;
	} catch (error) {
		if (!(error instanceof BadRow)) throw error;
		throw new SpillwayError("invalid_input", `${name}, line 1: ${error.message}`, { fix: error.fix });
	}
}

/** null: a row without GPU time, counted in the notes. */
function readRow(fields: string[], { at, width }: Layout, { notes, named }: RowInput): TraceJob | null {
	if (fields.length !== width)
		throw new BadRow(
			"row",
			`There are ${fields.length} fields, the header has ${width}.`,
			"Give every row a field for each column; leave it empty when it is not known.",
		);
	const text = (column: Column): string => fieldAt(fields, at[column]);
	const id = text("job_id");
	if (id === "" || id.length > TRACE_LIMITS.field) throw new BadRow("job_id", "job_id is empty or too long.", "Give every job its own id.");
	const submitS = numberIn("submit_s", text("submit_s"), "seconds", TRACE_LIMITS.seconds);
	const durationS = numberIn("duration_s", text("duration_s"), "seconds", TRACE_LIMITS.seconds);
	const recorded = numberIn("gpus", text("gpus"), "GPUs", TRACE_LIMITS.gpus);
	const deadline = readDeadline(text("deadline_s"), text("deadline_kind"));
	const limit = text("limit_s");
	const limitMs = limit === "" ? null : ms(numberIn("limit_s", limit, "seconds", TRACE_LIMITS.seconds));
	const wait = text("wait_s");
	const waitMs = wait === "" ? null : ms(numberIn("wait_s", wait, "seconds", TRACE_LIMITS.seconds));
	if (recorded === 0) {
		notes.withoutGpus++;
		return null;
	}
	if (durationS === 0) {
		notes.neverStarted++;
		return null;
	}
	const gpus = Math.ceil(recorded);
	if (gpus !== recorded) notes.fractionsRoundedUp++;
	return {
		id,
		submitMs: ms(submitS),
		durationMs: Math.max(1, ms(durationS)),
		gpus,
		team: text("group") || UNKNOWN_TEAM,
		user: text("user") || null,
		accelerators: named(text("gpu_type")),
		...deadline,
		status: text("status") || null,
		limitMs,
		...(waitMs !== null && { waitMs }),
		...scalingIn(text("parallel"), text("scale_to")),
	};
}

function scalingIn(parallel: string, upTo: string): Pick<TraceJob, "scaling"> {
	if (parallel === "" && upTo === "") return {};
	if (parallel === "" || upTo === "")
		throw new BadRow("parallel", "Only one of parallel and scale_to is given.", "Give both, or leave both empty.");
	const share = numberIn("parallel", parallel, "share", 1);
	return { scaling: { parallel: share, upTo: Math.floor(numberIn("scale_to", upTo, "GPUs", TRACE_LIMITS.gpus)) } };
}

const KINDS = ["strict", "soft", "best"] as const;

/** A deadline without a kind is strict; the only kind without a deadline is `best`. */
function readDeadline(seconds: string, kindText: string): Pick<TraceJob, "deadlineMs" | "deadlineKind"> {
	const kind = KINDS.find((k) => k === kindText.toLowerCase()) ?? null;
	if (kind === null && kindText !== "")
		throw new BadRow("deadline_kind", `deadline_kind is "${shorten(kindText)}".`, `Write one of ${KINDS.join(", ")}, or leave it empty.`);
	if (seconds === "") {
		if (kind === "strict" || kind === "soft")
			throw new BadRow(
				"deadline_s",
				`deadline_s is empty beside the kind ${kind}.`,
				"Write the seconds from submission to the deadline, or leave both empty.",
			);
		return { deadlineMs: null, deadlineKind: kind };
	}
	return {
		deadlineMs: ms(numberIn("deadline_s", seconds, "seconds from submission", TRACE_LIMITS.seconds)),
		deadlineKind: kind ?? "strict",
	};
}

function ms(seconds: number): number {
	return Math.round(seconds * 1000);
}
