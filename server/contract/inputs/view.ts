import { z } from "zod";
import { JOB_LIST_PARAMETERS, unknownParameters } from "#server/domain/job-list.ts";
import { entityId } from "../parts.ts";

const fields = {
	name: z.string().trim().min(1, "give it a name").max(60),
	/** Filters, sort and columns as in the URL of Jobs: `view=all&state=failed`. */
	query: z
		.string()
		.max(2_000)
		.refine((query) => unknownParameters(query).length === 0, `only these parameters: ${JOB_LIST_PARAMETERS.join(", ")}`),
	/** A team that also sees it; null: only its owner. */
	team: z.string().min(1).max(63).nullable(),
};

export const createViewInput = z.strictObject({ ...fields, team: fields.team.default(null) });

/** Omitted fields stay unchanged. */
export const updateViewInput = z.strictObject({
	id: entityId,
	name: fields.name.optional(),
	query: fields.query.optional(),
	team: fields.team.optional(),
});
