import type { z } from "zod";
import { pipelineInput } from "#server/contract/inputs/pipeline.ts";
import type { PipelineSpec } from "#server/domain/pipeline/pipeline.ts";
import { parsePipelineDocument, parsePipelineText } from "#server/domain/pipeline/pipeline-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { checkStepCondition } from "#server/policy/step-condition.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";

export type PipelineInput = z.input<typeof pipelineInput>;

/**
 * Parses the file, after a check that the caller's role may submit at all.
 * @throws SpillwayError `forbidden`; `invalid_input`; `payload_too_large`
 */
export async function readPipelineInput(
	ctx: ServiceContext,
	permission: "job:submit" | "quote:ask",
	raw: PipelineInput,
): Promise<PipelineSpec> {
	teamScope(ctx, permission);
	// The body is the document itself, without surrounding fields.
	const { text, document, parameters } =
		"apiVersion" in raw ? { text: undefined, document: raw as unknown, parameters: {} } : pipelineInput.parse(raw);
	if ((text === undefined) === (document === undefined))
		throw new SpillwayError("invalid_input", "The body needs either text or document.", { fix: "Send the pipeline file as text." });
	const spec = await offLoop(ctx, "pipeline.read", readPipeline, { text, document, parameters });
	authorize(ctx, permission, spec.team);
	return spec;
}

/** A file of 10,000 steps takes a second. */
export function readPipeline({ text, document, parameters }: z.infer<typeof pipelineInput>): PipelineSpec {
	const options = { parameters, checkCondition: checkStepCondition };
	return text === undefined ? parsePipelineDocument(document, options) : parsePipelineText(text, options);
}

/** The file itself; JSON if it was sent as a document, since JSON is YAML too. */
export function sourceOf(input: PipelineInput): string {
	return input.text ?? JSON.stringify("apiVersion" in input ? input : input.document, null, 2);
}
