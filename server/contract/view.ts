import { z } from "zod";
import { createViewInput, updateViewInput } from "./inputs/view.ts";
import { operation } from "./operation.ts";
import { byId } from "./parts.ts";

export const viewSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		query: z.string(),
		team: z.string().nullable(),
		/** Name of its owner. */
		owner: z.string(),
		isMine: z.boolean(),
	})
	.meta({ id: "SavedView" });

export const view = {
	list: operation({
		method: "GET",
		path: "/views",
		summary: "List your saved views of the job list, and those shared with your teams",
		description: "`query` is the part of the address of Jobs after `?`.",
		permission: "job:read",
		output: z.array(viewSchema),
		procedure: "query",
	}),
	create: operation({
		method: "POST",
		path: "/views",
		summary: "Save a view of the job list, for yourself or shared with a team",
		description: "At most 50 for each person; names are unique among them.",
		permission: "job:read",
		example: { name: "Failed in research", query: "view=failed&team=research", team: "research" },
		output: viewSchema,
		input: createViewInput,
		status: 201,
		write: true,
		procedure: "mutation",
	}),
	update: operation({
		method: "PATCH",
		path: "/views/{id}",
		summary: "Rename, change or share a view of yours",
		permission: "job:read",
		example: { name: "Failed this week" },
		output: viewSchema,
		input: updateViewInput,
		procedure: "mutation",
	}),
	delete: operation({
		method: "DELETE",
		path: "/views/{id}",
		summary: "Delete a view of yours",
		permission: "job:read",
		output: z.object({ id: z.string() }),
		input: byId,
		procedure: "mutation",
	}),
};
