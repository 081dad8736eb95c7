import { z } from "zod";
import { secretPath, secretValueProblem } from "#server/domain/job-secret.ts";
import { name } from "#server/domain/schema/values.ts";
import { teamName } from "./account.ts";

export const secretTarget = z.strictObject({ team: teamName, name: name() });

const secretValue = z.string().superRefine((text, ctx) => {
	const problem = secretValueProblem(text);
	if (problem !== null) ctx.addIssue({ code: "custom", message: problem });
});

export const setSecretInput = secretTarget
	.extend({
		/** The value itself; never returned. */
		value: secretValue.optional(),
		/** A file in the team's folder of SPILLWAY_SECRET_FILES. */
		file: secretPath.optional(),
		/** A value in the team's part of the Vault. */
		vault: z.strictObject({ path: secretPath, key: z.string().min(1).max(128) }).optional(),
	})
	.refine(({ value, file, vault }) => [value, file, vault].filter((one) => one !== undefined).length === 1, {
		message: "needs exactly one of value, file and vault",
		path: ["value"],
	});
