import type { TraceJob } from "#server/simulation/replay/types.ts";
import type { RowProblems } from "./trace-rows.ts";

/** What was left out or changed while reading, for readers of a report. */
export interface TraceNotes {
	/** Rows without GPU time. */
	withoutGpus: number;
	neverStarted: number;
	/** Jobs with a fraction of a GPU (or a MIG slice), rounded up to whole GPUs. */
	fractionsRoundedUp: number;
	/** Jobs that were still running when recorded; their run time is the part recorded so far. */
	stillRunning: number;
	/** Bad rows skipped by --lenient. */
	badRows: number;
	/** Columns without a meaning here. */
	ignoredColumns: string[];
}

/** Input of a format's parser. */
export interface TraceInput extends RowInput {
	text: string;
	body: { offset: number; line: number };
	problems: RowProblems;
}

/** Input of a row reader. */
export interface RowInput {
	name: string;
	header: string;
	notes: TraceNotes;
	named: (list: string) => string[];
}

export type RowReader = (line: string) => TraceJob | null;
