import type { Check } from "./check-draft.ts";
import type { YamlPath } from "./edit-yaml.ts";

/** What a text that is being written says: the job when it is one, and what is wrong with it when it is not. */
export type Draft = Omit<Check, "fields"> & {
	text: string;
	/** The value of a field as it stands in the text. */
	valueAt: (path: YamlPath) => unknown;
	/** What is wrong with a field or with something in it. */
	problemAt: (path: YamlPath) => string | null;
};

export function readDraft(text: string, { fields, ...check }: Check): Draft {
	return {
		...check,
		text,
		valueAt: (path) => path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), fields),
		problemAt: (path) => {
			const name = path.join(".");
			return check.problems.find((p) => p.path === name || p.path.startsWith(`${name}.`))?.message ?? null;
		},
	};
}

const isRecord = (value: unknown): value is Record<string | number, unknown> => typeof value === "object" && value !== null;
