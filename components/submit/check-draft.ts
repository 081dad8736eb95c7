import type { JobSpec } from "#server/domain/job.ts";
import { parseJobText } from "#server/domain/job-file.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import { type FieldProblem, SpillwayError } from "#server/kernel/errors.ts";

/** The job that a text is, or what keeps it from being one. */
export type Check = {
	spec: JobSpec | null;
	problems: readonly FieldProblem[];
	/** False while the YAML itself cannot be read: then nobody can say what its fields are. */
	readable: boolean;
	/** What the text holds, as plain values. */
	fields: unknown;
};

/** By the very schema of the API, with its library: the screen loads it when a person begins to change something. */
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
