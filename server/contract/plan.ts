import { z } from "zod";
import { DECISION_FORMATS, listStudiesInput, startStudyInput } from "./inputs/plan.ts";
import { operation } from "./operation.ts";
import { planDecisionSchema, studySchema, studySummarySchema } from "./outputs/plan.ts";
import { uploadSchema } from "./outputs/upload.ts";
import { byId } from "./parts.ts";

export const plan = {
	upload: operation({
		method: "POST",
		path: "/plan/uploads",
		summary: "Upload a trace of any size for a study",
		description: "Up to 1 GiB, gzipped or not. It is deleted when its study ends, or after a day.",
		permission: "plan:run",
		output: uploadSchema,
		upload: true,
		query: ["name"],
		input: z.strictObject({ name: z.string().trim().min(1).max(200).optional() }),
		status: 201,
		errors: ["conflict"],
		accepts: ["application/octet-stream", "text/csv", "application/gzip"],
	}),
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
	decision: operation({
		method: "GET",
		path: "/plan/studies/{id}/decision",
		summary: "Get the decision of a finished study with its frozen figures, and what happened since by month",
		description: "`format=json` or `pdf` ([plan](plan.md#the-decision-page)).",
		permission: "plan:read",
		example: { format: "pdf" },
		output: planDecisionSchema,
		input: byId.extend({ format: z.enum(DECISION_FORMATS).optional() }),
		errors: ["precondition_failed"],
		procedure: "query",
		media: ["application/pdf"],
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
