import type { JobSpec } from "#server/domain/job.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import type { FieldProblem } from "#server/kernel/errors.ts";
import type { Check } from "./check-draft.ts";
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

export function readDraft(text: string, { spec, problems }: Check): Draft {
	const { doc } = readYaml(text);
	const root = doc ? safely(() => doc.toJS({ maxAliasCount: 50 })) : undefined;
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

function safely(read: () => unknown): unknown {
	try {
		return read();
	} catch {
		return undefined;
	}
}

const isRecord = (value: unknown): value is Record<string | number, unknown> => typeof value === "object" && value !== null;
