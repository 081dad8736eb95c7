import { z } from "zod";
import { name } from "#server/domain/schema/values.ts";
import { entityId } from "../parts.ts";
import { pipelineInput } from "./pipeline.ts";

const version = z.number().int().min(1);

export const listTemplatesInput = z.strictObject({ team: z.string().max(64).optional() });

export const getTemplateInput = z.strictObject({
	id: entityId,
	/** Default: the current one. */
	version: version.optional(),
});

/** One of text, document and pipelineId. */
export const saveTemplateInput = z.strictObject({
	/** Default: the name in the file. */
	name: name().optional(),
	description: z.string().trim().max(200).default(""),
	/** The file, so that problems have a line and column. */
	text: z.string().optional(),
	document: z.unknown().optional(),
	/** Uses the file of this pipeline or sweep. */
	pipelineId: entityId.optional(),
	/** The version that the change is based on; absent for a new template. */
	baseVersion: version.optional(),
});

export const runTemplateInput = z.strictObject({
	id: entityId,
	parameters: pipelineInput.shape.parameters,
	/** The version that the caller saw. The request fails when it is no longer current. */
	version: version.optional(),
});
