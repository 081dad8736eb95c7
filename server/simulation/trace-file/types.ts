import type { TraceJob } from "#server/simulation/replay/types.ts";
import type { RowProblems } from "./trace-rows.ts";

/** What was left out or changed while reading, for the reader of a report. */
export interface TraceNotes {
	/** Rows that are no job with GPU time. */
	withoutGpus: number;
	neverStarted: number;
	/** Jobs with a part of a GPU (or a MIG slice), taken as whole ones. */
	fractionsRoundedUp: number;
	/** Recorded while they still ran: their length is what was seen of it. */
	stillRunning: number;
	/** Bad rows that --lenient left out. */
	badRows: number;
	/** Columns that mean nothing here. */
	ignoredColumns: string[];
}

/** What a parser of one form works on. */
export interface TraceInput extends RowInput {
	text: string;
	body: { offset: number; line: number };
	problems: RowProblems;
}

/** What a reader of single rows works on. */
export interface RowInput {
	name: string;
	header: string;
	notes: TraceNotes;
	named: (list: string) => string[];
}

export type RowReader = (line: string) => TraceJob | null;
