import { z } from "zod";
import { listStudiesInput, startStudyInput } from "./inputs/plan.ts";
import { operation } from "./operation.ts";
import { studySchema, studySummarySchema } from "./outputs/plan.ts";
import { byId } from "./parts.ts";

export const plan = {
	start: operation({
		method: "POST",
		path: "/plan/studies",
		summary: "Study what to buy, rent or burst, from our own records or an uploaded trace, in the background",
		permission: "plan:run",
		example: { source: "records", days: 90 },
		output: studySchema,
		input: startStudyInput,
		status: 202,
		errors: ["conflict"],
		procedure: "mutation",
	}),
	list: operation({
		method: "GET",
		path: "/plan/studies",
		summary: "List plan studies, newest first, without results",
		permission: "plan:read",
		output: z.array(studySummarySchema),
		input: listStudiesInput,
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/plan/studies/{id}",
		summary: "Get a plan study with its progress and its result",
		permission: "plan:read",
		output: studySchema,
		input: byId,
		procedure: "query",
	}),
	cancel: operation({
		method: "POST",
		path: "/plan/studies/{id}/cancel",
		summary: "Cancel a queued or running plan study",
		permission: "plan:run",
		output: studySchema,
		input: byId,
		errors: ["conflict"],
		procedure: "mutation",
	}),
};
