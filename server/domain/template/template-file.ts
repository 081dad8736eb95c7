import type { z } from "zod";
import { defined } from "../../kernel/assert.ts";
import { SpillwayError } from "../../kernel/errors.ts";
import { parseJobText } from "../job-file.ts";
import { type DocumentKind, invalidDocument } from "../job-file-problems.ts";
import { PIPELINE_KINDS, type Scalar } from "../pipeline/pipeline.ts";
import { type CheckCondition, parsePipelineText } from "../pipeline/pipeline-file.ts";
import { type ParameterSpec, unfilledPipelineSchema, unfilledSweepSchema } from "../pipeline/pipeline-schema.ts";
import { readDocumentText } from "../read-document-text.ts";

/** Kinds of documents that a template may store. */
export const TEMPLATE_KINDS = ["Job", ...PIPELINE_KINDS] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

const TEMPLATE_FILE: DocumentKind = { name: "template's file", page: "docs/pipelines.md" };

/** A parameter that a person fills in. */
export interface TemplateParameter {
	name: string;
	type: ParameterSpec["type"];
	/** null: a value is required. */
	default: Scalar | null;
	/** The only allowed values; null: any value of the type. */
	choices: Scalar[] | null;
	description: string | null;
}

/** What a template requires from its document. */
export interface TemplateFile {
	kind: TemplateKind;
	team: string;
	/** Name of the runs; the template has a separate name. */
	name: string;
	/** In file order. Empty for a job. */
	parameters: TemplateParameter[];
}

/**
 * Parses and validates the document of a template. A parameter without a default has no value yet, so fields that
 * depend on it are checked when the template is run.
 * @throws SpillwayError `invalid_input` with line and column of each problem; `payload_too_large`
 */
export function parseTemplateText(source: string, checkCondition: CheckCondition): TemplateFile {
	const { plain } = readDocumentText(source, TEMPLATE_FILE);
	const kind = valueAt(plain, ["kind"]);
	if (kind === "Job") {
		const { team, name } = parseJobText(source);
		return { kind, team, name, parameters: [] };
	}
	if (kind !== "Pipeline" && kind !== "Sweep")
		throw invalidDocument(TEMPLATE_FILE, [{ path: "kind", message: `must be ${TEMPLATE_KINDS.join(", ")}` }]);
	const head = kind === "Sweep" ? unfilledSweepSchema.safeParse(plain) : unfilledPipelineSchema.safeParse(plain);
	const required = head.success ? Object.entries(head.data.spec.parameters).filter(([, { default: given }]) => given === undefined) : [];
	const parameters = Object.fromEntries(required.map(([name, parameter]) => [name, sampleOf(parameter)]));
	try {
		parsePipelineText(source, { parameters, checkCondition });
	} catch (error) {
		if (!(error instanceof SpillwayError) || error.code !== "invalid_input") throw error;
		const places = required.map(([name]) => placeOf(name));
		if (!head.success || error.fields.some(({ path }) => !mentions(valueAt(plain, path.split(".")), places))) throw error;
	}
	return fileOf(kind, defined(head.data, "checked template"));
}

interface Head {
	metadata: z.output<typeof unfilledPipelineSchema>["metadata"];
	spec: { parameters: Record<string, ParameterSpec> };
}

function fileOf(kind: TemplateKind, { metadata, spec }: Head): TemplateFile {
	const parameters = Object.entries(spec.parameters).map(([name, parameter]) => ({
		...{ name, type: parameter.type, default: parameter.default ?? null, choices: parameter.choices ?? null },
		description: parameter.description ?? null,
	}));
	return { kind, team: metadata.team, name: metadata.name, parameters };
}

const SAMPLES = { text: "sample", number: 1, boolean: false } as const;

function sampleOf({ type, choices }: ParameterSpec): Scalar {
	return choices?.[0] ?? SAMPLES[type];
}

const placeOf = (name: string) => new RegExp(`\\$\\{\\{\\s*parameters\\.${name}\\s*\\}\\}`);

/** A sample value says nothing about fields that depend on a parameter. */
function mentions(value: unknown, places: readonly RegExp[]): boolean {
	const text = JSON.stringify(value) ?? "";
	return places.some((place) => place.test(text));
}

function valueAt(document: unknown, path: readonly string[]): unknown {
	return path.reduce<unknown>(
		(value, key) => (value !== null && typeof value === "object" ? (value as Record<string, unknown>)[key] : undefined),
		document,
	);
}
