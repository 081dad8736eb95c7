import { z } from "zod";
import { DAY_MS } from "../../kernel/units.ts";
import { dataAddressOf } from "../data-address.ts";
import { type DocumentKind, invalidDocument } from "../job-file-problems.ts";
import { metadataSchema } from "../job-schema.ts";
import { scalar } from "../pipeline/pipeline-schema.ts";
import { readDocumentText } from "../read-document-text.ts";
import { locateProblems, type PathProblem, problemsOf, protoKeys, withFix } from "../schema/problems.ts";
import * as value from "../schema/values.ts";
import { isTimeZone, parseCron } from "./cron.ts";
import { MISSED_RULES, type TriggerSource, type TriggerSpec } from "./trigger.ts";

const TRIGGER_FILE: DocumentKind = { name: "trigger file", page: "docs/triggers.md" };

const cron = z.strictObject({
	schedule: value.line(200).superRefine((text, ctx) => {
		const parsed = parseCron(text);
		if (typeof parsed === "string") ctx.addIssue({ code: "custom", message: parsed });
	}),
	zone: value.line(64).refine(isTimeZone, "must be a time zone such as Europe/Zurich or UTC").default("UTC"),
	missed: z.enum(MISSED_RULES).default("once"),
});

const data = z
	.strictObject({
		uri: value.line(1024).superRefine((uri, ctx) => {
			try {
				dataAddressOf(uri);
			} catch (error) {
				ctx.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
			}
		}),
		files: value.wholeNumber(1, 100_000).optional(),
		sizeGiB: value.gib(1e9).optional(),
		quiet: value.duration(7 * DAY_MS).prefault("1m"),
		every: value.duration(DAY_MS).prefault("1m"),
		existing: z.boolean().default(true),
	})
	.refine(({ files, sizeGiB }) => files !== undefined || sizeGiB !== undefined, { path: ["files"], message: "or sizeGiB is required" });

const webhook = z.strictObject({ types: z.array(value.line(200)).max(50).default([]) });

const after = z.strictObject({
	pipeline: value.name(),
	states: z
		.array(z.enum(["succeeded", "failed", "cancelled"]))
		.min(1)
		.default(["succeeded"]),
});

/** The document in its written form. */
export const triggerDocumentSchema = z.strictObject({
	apiVersion: z.literal("spillway/v1"),
	kind: z.literal("Trigger"),
	metadata: metadataSchema.pick({ name: true, team: true }),
	spec: z
		.strictObject({
			cron: cron.optional(),
			data: data.optional(),
			webhook: webhook.optional(),
			after: after.optional(),
			parameters: z.record(z.string().max(64), scalar).default({}),
			pipeline: z.record(z.string(), z.unknown()),
		})
		.refine((spec) => [spec.cron, spec.data, spec.webhook, spec.after].filter((source) => source !== undefined).length === 1, {
			message: "must have exactly one of cron, data, webhook and after",
		}),
});

/** @throws SpillwayError `invalid_input` with line and column of each problem; `payload_too_large` */
export function parseTriggerText(source: string): TriggerSpec {
	const { doc, lines, plain } = readDocumentText(source, TRIGGER_FILE);
	const { spec, problems } = build(plain);
	if (spec) return spec;
	throw invalidDocument(TRIGGER_FILE, locateProblems(problems, doc, lines));
}

/** @throws SpillwayError `invalid_input` with every invalid field */
export function parseTriggerDocument(document: unknown): TriggerSpec {
	const { spec, problems } = build(document);
	if (spec) return spec;
	throw invalidDocument(
		TRIGGER_FILE,
		problems.map((problem) => ({ ...problem, message: withFix(problem) })),
	);
}

function build(document: unknown): { spec: TriggerSpec | null; problems: PathProblem[] } {
	const dropped = protoKeys(document);
	const result = triggerDocumentSchema.safeParse(document);
	if (!result.success) return { spec: null, problems: [...problemsOf(result.error, document, triggerDocumentSchema), ...dropped] };
	if (dropped.length > 0) return { spec: null, problems: dropped };
	const { metadata, spec } = result.data;
	const source = sourceOf(spec);
	if (!source) return { spec: null, problems: [] };
	return { spec: { ...metadata, source, pipeline: spec.pipeline, parameters: spec.parameters }, problems: [] };
}

function sourceOf(spec: z.output<typeof triggerDocumentSchema>["spec"]): TriggerSource | null {
	if (spec.cron) return { kind: "cron", ...spec.cron };
	if (spec.webhook) return { kind: "webhook", ...spec.webhook };
	if (spec.after) return { kind: "after", ...spec.after };
	if (!spec.data) return null;
	const { uri, files, sizeGiB, quiet, every, existing } = spec.data;
	return { kind: "data", uri, files: files ?? null, sizeGiB: sizeGiB ?? null, quietMs: quiet, everyMs: every, existing };
}
