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
export interface TraceInput {
	name: string;
	text: string;
	header: string;
	body: { offset: number; line: number };
	problems: RowProblems;
	notes: TraceNotes;
	named: (list: string) => string[];
}
