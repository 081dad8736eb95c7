import { z } from "zod";
import { ROLES } from "#server/domain/vocabulary.ts";
import { checkGroupsInput, removeGroupMappingInput, setGroupMappingInput } from "./inputs/group-mapping.ts";
import { operation } from "./operation.ts";

const mappingSchema = z
	.object({
		group: z.string(),
		role: z.enum(ROLES).nullable(),
		/** A custom role based on `role`. */
		customRole: z.string().nullable(),
		team: z.string().nullable(),
		/** `settings` can be changed here; `process` comes from OIDC_GROUP_MAP. */
		source: z.enum(["settings", "process"]),
	})
	.meta({ id: "GroupMapping" });

export const groupMapping = {
	list: operation({
		method: "GET",
		path: "/group-mappings",
		summary: "List which groups of the identity provider give which role and team",
		permission: "account:manage",
		output: z.object({
			mappings: z.array(mappingSchema),
			/** A group with this prefix and a team's name grants membership in that team; "": none. */
			teamPrefix: z.string(),
			/** Groups sent by the identity provider over SCIM. */
			seen: z.array(z.object({ group: z.string(), people: z.number(), isMapped: z.boolean() })),
		}),
		procedure: "query",
	}),
	set: operation({
		method: "PUT",
		path: "/group-mappings",
		summary: "Map a group to a role, a team or both",
		description: "SCIM members change immediately, others at their next sign-in.",
		permission: "account:manage",
		input: setGroupMappingInput,
		output: mappingSchema,
		example: { group: "ml-engineers", role: "data_scientist", team: "research" },
		procedure: "mutation",
	}),
	remove: operation({
		method: "POST",
		path: "/group-mappings/remove",
		summary: "Remove a group's mapping",
		permission: "account:manage",
		input: removeGroupMappingInput,
		output: z.object({ group: z.string() }),
		example: { group: "ml-engineers" },
		procedure: "mutation",
	}),
	check: operation({
		method: "POST",
		path: "/group-mappings/check",
		summary: "Compute the role and teams of a person in some groups, without changing anything",
		permission: "account:manage",
		input: checkGroupsInput,
		output: z.object({
			/** null: the person cannot sign in. */
			role: z.enum(ROLES).nullable(),
			customRole: z.string().nullable(),
			teams: z.array(z.string()),
			missingTeams: z.array(z.string()),
			unmapped: z.array(z.string()),
		}),
		example: { groups: ["ml-engineers", "everyone"] },
		procedure: "query",
	}),
};
