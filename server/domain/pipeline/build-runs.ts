import type { z } from "zod";
import type { JobSpec } from "../job.ts";
import { jobSpecOf } from "../job-file.ts";
import { JOB_LIMITS, type jobDocumentSchema } from "../job-schema.ts";
import { MAX_PROBLEMS, type PathProblem, problemsOf } from "../schema/problems.ts";
import { type FillProblem, fill, TEXTS, type Values } from "./fill.ts";
import type { RunSpec, Scalar, StepInput } from "./pipeline.ts";
import { type StepJob, stepJobSchema } from "./pipeline-schema.ts";

/** Values shared by all runs of a file. */
export interface SharedFields {
	metadata: z.output<typeof jobDocumentSchema>["metadata"];
	className: JobSpec["class"] | undefined;
	notify: JobSpec["notify"];
	parameters: Readonly<Record<string, Scalar>>;
}

/** The values of one run, keyed with their prefix: `matrix.rate`, `trial.rate`, `item`. */
export interface RunValues {
	values: Record<string, Scalar>;
	prefix: "matrix" | "trial" | null;
}

export interface BuiltRuns {
	runs: RunSpec[];
	inputs: StepInput[];
	problems: PathProblem[];
}

/**
 * The jobs of a step: its fields with `${{ … }}` filled in for each run, validated as a job spec. Since runs mostly
 * differ in command and env, all other fields are validated once for each distinct value.
 * @param at path of the step's job in the document
 */
export function buildRuns(
	step: { name: string; job: Record<string, unknown> },
	variants: readonly RunValues[],
	shared: SharedFields,
	at: readonly PropertyKey[],
): BuiltRuns {
	const built: BuiltRuns = { runs: [], inputs: [], problems: [] };
	const checked = new Map<string, StepJob>();
	const hasOwn = [...TEXTS].every((field) => isTextual(step.job[field]));
	for (const [index, variant] of variants.entries()) {
		const name = variants.length === 1 ? step.name : `${step.name}-${index + 1}`;
		const missing: FillProblem[] = [];
		const filled = fill(step.job, valuesOf(shared.parameters, variant), missing) as Record<string, unknown>;
		if (missing.length > 0) {
			built.problems.push(...missing.map((problem) => unknownName(problem, shared, variant, at)));
			return built;
		}
		const job = checkedJob(filled, { checked, hasOwn, at, problems: built.problems });
		if (!job) return built;
		if (index === 0) built.inputs = inputsOf(job);
		built.runs.push({ name, values: variant.values, job: jobOf(job, name, shared) });
	}
	return built;
}

function valuesOf(parameters: Readonly<Record<string, Scalar>>, { values, prefix }: RunValues): Values {
	return new Map([
		...Object.entries(parameters).map(([name, value]): [string, Scalar] => [`parameters.${name}`, value]),
		...Object.entries(values).map(([name, value]): [string, Scalar] => [prefix === null ? name : `${prefix}.${name}`, value]),
	]);
}

function unknownName(problem: FillProblem, { parameters }: SharedFields, variant: RunValues, at: readonly PropertyKey[]): PathProblem {
	const known = [...valuesOf(parameters, variant).keys()];
	const path = [...at, ...problem.at];
	const fix = known.length === 0 ? "Define it under parameters." : `Use one of: ${known.slice(0, 10).join(", ")}.`;
	return { path: path.map(String).join("."), message: problem.message, fix, at: path, isKey: false };
}

/** A command and environment of plain text: if one run's are valid, all others are too. */
function isTextual(value: unknown): boolean {
	if (value === undefined) return true;
	const texts = Array.isArray(value) ? value : value !== null && typeof value === "object" ? Object.values(value) : [null];
	return texts.every((text) => typeof text === "string");
}

interface Checking {
	checked: Map<string, StepJob>;
	hasOwn: boolean;
	at: readonly PropertyKey[];
	problems: PathProblem[];
}

function checkedJob(filled: Record<string, unknown>, { checked, hasOwn, at, problems }: Checking): StepJob | null {
	const key = hasOwn ? JSON.stringify(filled, (name, value: unknown) => (TEXTS.has(name) ? undefined : value)) : "";
	const known = hasOwn ? checked.get(key) : undefined;
	if (known && isShort(filled)) {
		return { ...known, command: filled["command"] as string[], env: (filled["env"] ?? {}) as Record<string, string> };
	}
	const result = stepJobSchema.safeParse(filled);
	if (!result.success) {
		const own = problemsOf(result.error, filled, stepJobSchema).slice(0, MAX_PROBLEMS);
		problems.push(
			...own.map((problem) => ({ ...problem, path: [...at, ...problem.at].map(String).join("."), at: [...at, ...problem.at] })),
		);
		return null;
	}
	const { estimate = null, max = null } = result.data.duration;
	if (estimate !== null && max !== null && estimate > max) {
		const path = [...at, "duration", "estimate"];
		problems.push({ path: path.map(String).join("."), message: "must not be longer than max", fix: null, at: path, isKey: false });
		return null;
	}
	if (hasOwn) checked.set(key, result.data);
	return result.data;
}

function isShort({ command, env }: Record<string, unknown>): boolean {
	const texts = [...((command ?? []) as string[]), ...Object.values((env ?? {}) as Record<string, string>)];
	return texts.every((text) => text.length <= JOB_LIMITS.partCharacters);
}

function inputsOf(job: StepJob): StepInput[] {
	return job.data.flatMap(({ from, mount }) => {
		const [step = "", output = ""] = from?.split(".") ?? [];
		return from === undefined ? [] : [{ step, output, mount }];
	});
}

const NAME_CHARACTERS = 63;

function jobOf(job: StepJob, run: string, { metadata, className, notify }: SharedFields): JobSpec {
	const data = job.data.flatMap(({ from, uri, ...set }) => (from === undefined && uri !== undefined ? [{ ...set, uri }] : []));
	// The end of the name distinguishes the runs, so the pipeline's part is shortened.
	const name = `${metadata.name.slice(0, Math.max(1, NAME_CHARACTERS - 1 - run.length)).replace(/[^A-Za-z0-9]+$/, "")}-${run}`.slice(
		-NAME_CHARACTERS,
	);
	const spec = { ...job, class: job.class ?? className ?? "burst", deadline: undefined, notify, data };
	return jobSpecOf({ metadata: { ...metadata, name }, spec });
}
