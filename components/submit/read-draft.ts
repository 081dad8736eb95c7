import type { Check } from "./check-draft.ts";
import type { YamlPath } from "./edit-yaml.ts";

/** Parses a draft: the job if valid, otherwise its problems. */
export type Draft = Omit<Check, "fields"> & {
	text: string;
	/** The raw value of a field. */
	valueAt: (path: YamlPath) => unknown;
	/** Problems of a field and everything below it. */
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
