import { z } from "zod";
import { TEMPLATE_KINDS } from "#server/domain/template/template-file.ts";
import { getTemplateInput, listTemplatesInput, runTemplateInput, saveTemplateInput } from "./inputs/template.ts";
import { operation } from "./operation.ts";
import { quoteSchema } from "./outputs/decision.ts";
import { byId, instant } from "./parts.ts";
import { pipelineQuoteSchema } from "./pipeline.ts";

const scalar = z.union([z.string(), z.number(), z.boolean()]);

export const templateSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		team: z.string(),
		kind: z.enum(TEMPLATE_KINDS),
		description: z.string(),
		version: z.number().int(),
		savedBy: z.string(),
		savedAt: instant,
	})
	.meta({ id: "Template" });

export const templateDetailSchema = templateSchema
	.extend({
		currentVersion: z.number().int(),
		parameters: z.array(
			z.object({
				name: z.string(),
				type: z.enum(["text", "number", "boolean"]),
				default: scalar.nullable().meta({ description: "null: a value is required." }),
				choices: z.array(scalar).nullable().meta({ description: "The only allowed values; null: any value of the type." }),
				description: z.string().nullable(),
			}),
		),
		source: z.string().nullable().meta({ description: "The file; null for callers without job:submit for the team." }),
		versions: z
			.array(z.object({ version: z.number().int(), description: z.string(), savedBy: z.string(), savedAt: instant }))
			.meta({ description: "Newest first, at most 50." }),
	})
	.meta({ id: "TemplateDetail" });

export const templateQuoteSchema = z
	.object({
		version: z.number().int(),
		job: quoteSchema.nullable().meta({ description: "Of a job; null for the other kinds." }),
		pipeline: pipelineQuoteSchema.nullable().meta({ description: "Of a pipeline or sweep; null for a job." }),
	})
	.meta({ id: "TemplateQuote" });

export const templateRunSchema = z
	.object({
		id: z.string().meta({ description: "Id of the job, pipeline or sweep." }),
		kind: z.enum(TEMPLATE_KINDS),
		name: z.string(),
		version: z.number().int(),
	})
	.meta({ id: "TemplateRun" });

export const savedTemplateSchema = z.object({ id: z.string(), name: z.string(), team: z.string(), version: z.number().int() });

export const template = {
	list: operation({
		method: "GET",
		path: "/templates",
		summary: "List the templates of your teams by name",
		permission: "job:read",
		input: listTemplatesInput,
		output: z.array(templateSchema),
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/templates/{id}",
		summary: "Get a template with its parameters, file and versions",
		description: "Without `version`, the current one.",
		permission: "job:read",
		input: getTemplateInput,
		output: templateDetailSchema,
		procedure: "query",
	}),
	save: operation({
		method: "POST",
		path: "/templates",
		summary: "Save a job, pipeline or sweep as a template of its team, or a new version of one",
		description:
			"One of `text`, `document` and `pipelineId`. 201 for a new template. A change needs `baseVersion`, the version that it is based on; 409 when another version was saved since.",
		permission: "job:submit",
		example: { name: "retrain-fraud", text: "apiVersion: spillway/v1\nkind: Pipeline\n…" },
		input: saveTemplateInput,
		output: savedTemplateSchema,
		status: [200, 201],
		write: true,
		procedure: "mutation",
	}),
	remove: operation({
		method: "DELETE",
		path: "/templates/{id}",
		summary: "Delete a template; its runs stay",
		permission: "job:submit",
		input: byId,
		output: z.object({ id: z.string() }),
		write: true,
		procedure: "mutation",
	}),
	quote: operation({
		method: "POST",
		path: "/templates/{id}/quotes",
		summary: "Quote a template with values for its parameters; writes nothing",
		permission: "quote:ask",
		example: { parameters: { month: "2026-10" } },
		input: runTemplateInput,
		output: templateQuoteSchema,
		procedure: "query",
	}),
	run: operation({
		method: "POST",
		path: "/templates/{id}/runs",
		summary: "Submit a template with values for its parameters",
		description: "With `version`, 409 when another version was saved since.",
		permission: "job:submit",
		example: { parameters: { month: "2026-10" }, version: 1 },
		input: runTemplateInput,
		output: templateRunSchema,
		status: 201,
		write: true,
		procedure: "mutation",
	}),
};
