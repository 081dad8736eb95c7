import { z } from "zod";
import { MISSED_RULES } from "#server/domain/trigger/trigger.ts";
import { createTriggerInput, enableTriggerInput, listTriggersInput } from "./inputs/trigger.ts";
import { operation } from "./operation.ts";
import { byId, entityId, instant, integerText } from "./parts.ts";

const sourceSchema = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("cron"), schedule: z.string(), zone: z.string(), missed: z.enum(MISSED_RULES) }),
	z.object({
		kind: z.literal("data"),
		uri: z.string(),
		files: z.number().nullable(),
		sizeGiB: z.number().nullable(),
		quietMs: z.number(),
		everyMs: z.number(),
		existing: z.boolean(),
	}),
	z.object({ kind: z.literal("webhook"), types: z.array(z.string()) }),
	z.object({ kind: z.literal("after"), pipeline: z.string(), states: z.array(z.string()) }),
]);

const firingSchema = z.object({
	key: z.string(),
	at: instant,
	saw: z
		.object({
			time: instant,
			files: z.number().optional(),
			bytes: z.number().optional(),
			uri: z.string().optional(),
			objects: z.array(z.string()).optional(),
			event: z.object({ id: z.string(), type: z.string(), source: z.string(), subject: z.string().optional() }).optional(),
			pipeline: z.object({ id: z.string(), state: z.string() }).optional(),
			missed: z.number().optional(),
		})
		.meta({ description: "What the firing saw." }),
	pipelineId: z.string().nullable(),
	pipelineState: z.string().nullable(),
	costMicroUsd: integerText.meta({ description: "Everything that the firing bought." }),
	error: z.string().nullable().meta({ description: "Why no pipeline was started." }),
});

const triggerSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		team: z.string(),
		source: sourceSchema,
		enabled: z.boolean(),
		createdBy: z.string(),
		createdAt: instant,
		checkedAt: instant.nullable(),
		nextAt: instant.nullable().meta({ description: "Next time of a schedule." }),
		status: z.string().nullable().meta({ description: "Why it did not fire at its last check." }),
		failed: z.boolean().meta({ description: "The last check failed." }),
		firings: z.array(firingSchema).meta({ description: "Newest first, at most ten." }),
	})
	.meta({ id: "Trigger" });

export const trigger = {
	create: operation({
		method: "POST",
		path: "/triggers",
		summary: "Save a trigger, or change the one of the same name and team",
		description: "The body is the file itself, or {text} or {document}. A new key of a webhook is shown once.",
		permission: "job:submit",
		input: createTriggerInput,
		text: "text",
		accepts: ["application/yaml"],
		status: 201,
		output: z.object({ id: z.string(), name: z.string(), nextAt: instant.nullable(), secret: z.string().nullable() }),
		write: true,
		procedure: "mutation",
	}),
	list: operation({
		method: "GET",
		path: "/triggers",
		summary: "List triggers with their next time and last firings",
		permission: "job:read",
		input: listTriggersInput,
		output: z.array(triggerSchema),
		procedure: "query",
	}),
	enable: operation({
		method: "POST",
		path: "/triggers/{id}/enable",
		summary: "Enable or disable a trigger",
		permission: "job:submit",
		input: enableTriggerInput.extend({ id: entityId }),
		output: z.object({ id: z.string(), enabled: z.boolean() }),
		write: true,
		procedure: "mutation",
	}),
	remove: operation({
		method: "DELETE",
		path: "/triggers/{id}",
		summary: "Delete a trigger; its pipelines stay",
		permission: "job:submit",
		input: byId,
		output: z.object({ id: z.string() }),
		write: true,
		procedure: "mutation",
	}),
};
