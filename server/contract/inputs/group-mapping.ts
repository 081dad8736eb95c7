import { z } from "zod";
import { name } from "#server/domain/schema/values.ts";
import { teamName } from "./account.ts";

/** As the identity provider sends it: a name, or an id (Entra). */
const group = z
	.string()
	.trim()
	.min(1, "Enter the group's name or id.")
	.max(256)
	.regex(/^[^\p{Cc}]*$/u, "must not contain control characters")
	.refine((name) => name !== "__proto__", "is a reserved name. Rename the group.");

export const setGroupMappingInput = z
	.strictObject({ group, role: name().nullable().default(null), team: teamName.nullable().default(null) })
	.refine(({ role, team }) => role !== null || team !== null, { path: ["role"], message: "Choose a role, a team or both." });

export const removeGroupMappingInput = z.strictObject({ group });

export const checkGroupsInput = z.strictObject({ groups: z.array(group).min(1, "Enter a group.").max(200) });
