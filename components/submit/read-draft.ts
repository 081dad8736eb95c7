import type { JobSpec } from "#server/domain/job.ts";
import { parseJobText } from "#server/domain/job-file.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import { type FieldProblem, SpillwayError } from "#server/kernel/errors.ts";
import type { YamlPath } from "./edit-yaml.ts";

/** What a text that is being written says: the job when it is one, and what is wrong with it when it is not. */
export type Draft = {
	text: string;
	/** False while the YAML itself cannot be read: then nobody can say what its fields are. */
	readable: boolean;
	spec: JobSpec | null;
	problems: readonly FieldProblem[];
	/** The value of a field as it stands in the text. */
	valueAt: (path: YamlPath) => unknown;
	/** What is wrong with a field or with something in it. */
	problemAt: (path: YamlPath) => string | null;
};

export function readDraft(text: string): Draft {
	const { doc } = readYaml(text);
	const root = doc ? safely(() => doc.toJS({ maxAliasCount: 50 })) : undefined;
	const { spec, problems } = check(text);
	return {
		text,
		readable: doc !== null,
		spec,
		problems,
		valueAt: (path) => path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), root),
		problemAt: (path) => {
			const name = path.join(".");
			return problems.find((p) => p.path === name || p.path.startsWith(`${name}.`))?.message ?? null;
		},
	};
}

function check(text: string): { spec: JobSpec | null; problems: readonly FieldProblem[] } {
	try {
		return { spec: parseJobText(text), problems: [] };
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return { spec: null, problems: error.fields.length > 0 ? error.fields : [{ path: "", message: error.message, line: 1, column: 1 }] };
	}
}

function safely(read: () => unknown): unknown {
	try {
		return read();
	} catch {
		return undefined;
	}
}

const isRecord = (value: unknown): value is Record<string | number, unknown> => typeof value === "object" && value !== null;
