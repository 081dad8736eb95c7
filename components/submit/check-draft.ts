import type { JobSpec } from "#server/domain/job.ts";
import { parseJobText } from "#server/domain/job-file.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import { type FieldProblem, SpillwayError } from "#server/kernel/errors.ts";

/** The parsed job, or its validation errors. */
export type Check = {
	spec: JobSpec | null;
	problems: readonly FieldProblem[];
	/** False if the YAML does not parse, so that its fields are unknown. */
	readable: boolean;
	/** The parsed YAML as plain values. */
	fields: unknown;
};

/** Uses the API's own schema and library, loaded on the first edit. */
export function checkDraft(text: string): Check {
	const { doc } = readYaml(text);
	const read = { readable: doc !== null, fields: doc ? safely(() => doc.toJS({ maxAliasCount: 50 })) : undefined };
	try {
		return { ...read, spec: parseJobText(text), problems: [] };
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		const problems = error.fields.length > 0 ? error.fields : [{ path: "", message: error.message, line: 1, column: 1 }];
		return { ...read, spec: null, problems };
	}
}

function safely(read: () => unknown): unknown {
	try {
		return read();
	} catch {
		return undefined;
	}
}
