import type { JobSpec } from "#server/domain/job.ts";
import { parseJobText } from "#server/domain/job-file.ts";
import { type FieldProblem, SpillwayError } from "#server/kernel/errors.ts";

/** The job that a text is, or what keeps it from being one. */
export type Check = { spec: JobSpec | null; problems: readonly FieldProblem[] };

/** By the very schema of the API, with its library: the screen loads it when a person begins to change something. */
export function checkDraft(text: string): Check {
	try {
		return { spec: parseJobText(text), problems: [] };
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return { spec: null, problems: error.fields.length > 0 ? error.fields : [{ path: "", message: error.message, line: 1, column: 1 }] };
	}
}
