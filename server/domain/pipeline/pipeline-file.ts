import type { z } from "zod";
import { suggestName } from "../../kernel/nearest-name.ts";
import { changedEnvValues, type DocumentKind, invalidDocument } from "../job-file-problems.ts";
import { readDocumentText } from "../read-document-text.ts";
import { locateProblems, type PathProblem, problemsOf, protoKeys, withFix } from "../schema/problems.ts";
import { type BuiltRuns, buildRuns, type SharedFields } from "./build-runs.ts";
import { checkGraph, type DraftStep, problemAt, sortSteps } from "./check-graph.ts";
import { combinationCount, runsOfStep, trialCount, trialsOf } from "./expand.ts";
import { PIPELINE_LIMITS, type PipelineSpec, type Scalar, type StepSpec } from "./pipeline.ts";
import { type ParameterSpec, unfilledPipelineSchema, unfilledSweepSchema } from "./pipeline-schema.ts";
import type { StopRule } from "./stop-rule.ts";

const PIPELINE_FILE: DocumentKind = { name: "pipeline file", page: "docs/pipelines.md" };

/** Why a condition is invalid, `offset` characters from its start; empty when valid. */
export type CheckCondition = (text: string, needs: readonly string[]) => { message: string; fix: string | null }[];

export interface ParseOptions {
	/** Parameter values set by the caller. */
	parameters?: Readonly<Record<string, unknown>>;
	checkCondition: CheckCondition;
}

/**
 * Validates a parsed pipeline or sweep.
 * @throws SpillwayError `invalid_input` with every invalid field, its value and what is allowed
 */
export function parsePipelineDocument(document: unknown, options: ParseOptions): PipelineSpec {
	const { spec, problems } = build(document, options);
	if (spec) return spec;
	throw invalidDocument(
		PIPELINE_FILE,
		problems.map((problem) => ({ ...problem, message: withFix(problem) })),
	);
}

/**
 * Parses a pipeline or sweep in YAML (JSON is YAML too).
 * @throws SpillwayError `invalid_input` with line and column of each problem; `payload_too_large`.
 */
export function parsePipelineText(source: string, options: ParseOptions): PipelineSpec {
	const { doc, lines, plain } = readDocumentText(source, PIPELINE_FILE);
	const { spec, problems } = build(plain, options);
	const changed = jobPaths(plain).flatMap((at) => changedEnvValues(doc, [...at, "env"]));
	if (spec && changed.length === 0) return spec;
	throw invalidDocument(PIPELINE_FILE, locateProblems([...problems, ...changed], doc, lines));
}

/** Paths of all jobs in a document that may be invalid. */
function jobPaths(plain: unknown): PropertyKey[][] {
	const spec = fieldOf(plain, "spec");
	const steps = fieldOf(spec, "steps");
	return Array.isArray(steps) ? steps.map((_, index) => ["spec", "steps", index, "job"]) : [["spec", "job"]];
}

function fieldOf(value: unknown, key: string): unknown {
	return value !== null && typeof value === "object" ? (value as Record<string, unknown>)[key] : undefined;
}

type Built = { spec: PipelineSpec; problems: [] } | { spec: null; problems: PathProblem[] };

function build(document: unknown, options: ParseOptions): Built {
	const dropped = protoKeys(document);
	const built = fieldOf(document, "kind") === "Sweep" ? buildSweep(document, options) : buildPipeline(document, options);
	return dropped.length === 0 ? built : { spec: null, problems: [...built.problems, ...dropped] };
}

function buildPipeline(document: unknown, options: ParseOptions): Built {
	const result = unfilledPipelineSchema.safeParse(document);
	if (!result.success) return { spec: null, problems: problemsOf(result.error, document, unfilledPipelineSchema) };
	const { metadata, spec } = result.data;
	const problems: PathProblem[] = [];
	const shared = sharedOf(result.data, options, problems);
	const runs = spec.steps.reduce((sum, step) => sum + (step.foreach?.length ?? combinationCount(step.matrix ?? {})), 0);
	if (runs > PIPELINE_LIMITS.runs) return tooMany(runs, ["spec", "steps"]);
	if (problems.length > 0) return { spec: null, problems };
	const drafts = spec.steps.map((step, index) => {
		const built = buildRuns(step, runsOfStep(step), shared, ["spec", "steps", index, "job"]);
		problems.push(...built.problems);
		return draftOf({ ...step, when: step.when ?? null }, index, built);
	});
	if (problems.length > 0) return { spec: null, problems };
	problems.push(...checkGraph(drafts));
	if (problems.length === 0) problems.push(...conditionProblems(drafts, options.checkCondition));
	if (problems.length > 0) return { spec: null, problems };
	const { sorted } = sortSteps(drafts);
	return { spec: { kind: "Pipeline", ...commonOf(metadata, spec, shared), steps: sorted.map(stepOf) }, problems: [] };
}

function buildSweep(document: unknown, options: ParseOptions): Built {
	const result = unfilledSweepSchema.safeParse(document);
	if (!result.success) return { spec: null, problems: problemsOf(result.error, document, unfilledSweepSchema) };
	const { metadata, spec } = result.data;
	const problems: PathProblem[] = [];
	const shared = sharedOf(result.data, options, problems);
	const trials = trialCount(spec);
	if (trials > PIPELINE_LIMITS.runs) return tooMany(trials, ["spec", "grid"]);
	if (problems.length > 0) return { spec: null, problems };
	const built = buildRuns({ name: "trial", job: spec.job }, trialsOf(spec), shared, ["spec", "job"]);
	const from = ["spec", "job", "data"];
	if (built.inputs.length > 0)
		built.problems.push({ path: from.join("."), message: "has no other steps to come from", fix: "Write uri.", at: from, isKey: false });
	if (built.problems.length > 0) return { spec: null, problems: built.problems };
	const { inputs, runs } = built;
	const step: StepSpec = { name: "trial", needs: [], when: null, retry: spec.retry, inputs, runs };
	const stop: StopRule | undefined = spec.stop && { ...spec.stop, target: spec.stop.target ?? null };
	return { spec: { kind: "Sweep", ...commonOf(metadata, spec, shared), ...(stop && { stop }), steps: [step] }, problems: [] };
}

function tooMany(runs: number, at: PropertyKey[]): Built {
	const message = `defines ${runs} runs; the limit is ${PIPELINE_LIMITS.runs}`;
	return { spec: null, problems: [{ path: at.join("."), message, fix: "Remove values from an axis.", at, isKey: false }] };
}

type Common = Pick<PipelineSpec, "name" | "team" | "project" | "labels" | "parameters" | "deadlineMs" | "budgetMicroUsd" | "parallel">;
type Metadata = z.output<typeof unfilledPipelineSchema>["metadata"];

function commonOf(
	metadata: Metadata,
	spec: { deadline?: number | undefined; budgetUsd?: bigint | undefined; parallel?: number | undefined },
	shared: SharedFields,
): Common {
	return {
		...{ name: metadata.name, team: metadata.team, project: metadata.project ?? null, labels: metadata.labels },
		...{ parameters: { ...shared.parameters }, deadlineMs: spec.deadline ?? null },
		...{ budgetMicroUsd: spec.budgetUsd ?? null, parallel: spec.parallel ?? null },
	};
}

interface Shared {
	parameters: Record<string, ParameterSpec>;
	class?: SharedFields["className"];
	notify?: SharedFields["notify"] | undefined;
}

function sharedOf(
	{ metadata, spec }: { metadata: Metadata; spec: Shared },
	{ parameters: given = {} }: ParseOptions,
	problems: PathProblem[],
): SharedFields {
	const parameters: Record<string, Scalar> = {};
	const names = Object.keys(spec.parameters);
	const wrong = (name: string, message: string, fix: string | null): void => {
		const at = ["spec", "parameters", name];
		problems.push({ path: at.join("."), message, fix, at, isKey: true });
	};
	for (const name of Object.keys(given))
		if (!names.includes(name)) wrong(name, "is not a parameter of this file", suggestName(name, names));
	for (const [name, declared] of Object.entries(spec.parameters)) {
		const allowed = declared.choices ? `one of ${declared.choices.join(", ")}` : WORDS[declared.type];
		const value = Object.hasOwn(given, name) ? readGiven(given[name], declared.type) : declared.default;
		if (value === undefined) wrong(name, "has no default and no value", `Give one: --param ${name}=…`);
		else if (value === null || typeof value !== TYPES[declared.type]) wrong(name, `must be ${allowed}`, null);
		else if (declared.choices && !declared.choices.includes(value)) wrong(name, `must be ${allowed}`, null);
		else parameters[name] = value;
	}
	return { metadata, className: spec.class, notify: spec.notify, parameters };
}

const TYPES = { text: "string", number: "number", boolean: "boolean" } as const;
const WORDS = { text: "text", number: "a number", boolean: "true or false" } as const;

/** A value from a command line, as text, or from JSON; null if it is not valid. */
function readGiven(value: unknown, type: ParameterSpec["type"]): Scalar | null {
	if (type === "number" && typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
	if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
	if (typeof value === "string")
		return value.length <= PIPELINE_LIMITS.scalarCharacters && value.isWellFormed() && !value.includes("\0") ? value : null;
	return typeof value === "number" || typeof value === "boolean" ? value : null;
}

function draftOf(
	step: { name: string; needs: string[]; when: string | null; retry: number; job: Record<string, unknown> },
	index: number,
	{ runs, inputs }: BuiltRuns,
): DraftStep {
	const outputs = runs[0]?.job.outputs ?? [];
	const needs = [...new Set([...step.needs, ...inputs.map((input) => input.step)])];
	const data = fieldOf(step.job, "data");
	const inputAt = Array.isArray(data) ? data.flatMap((set, at) => (fieldOf(set, "from") === undefined ? [] : [at])) : [];
	return { index, name: step.name, needs, written: step.needs, when: step.when, retry: step.retry, inputs, inputAt, runs, outputs };
}

function stepOf({ name, needs, when, retry, inputs, runs }: DraftStep): StepSpec {
	return { name, needs, when, retry, inputs, runs };
}

function conditionProblems(drafts: readonly DraftStep[], checkCondition: CheckCondition): PathProblem[] {
	return drafts.flatMap((step) =>
		step.when === null ? [] : checkCondition(step.when, step.needs).map(({ message, fix }) => problemAt(step, ["when"], message, fix)),
	);
}
