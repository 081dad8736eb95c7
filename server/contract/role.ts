import { z } from "zod";
import { ROLES } from "#server/domain/vocabulary.ts";
import { createRoleInput, updateRoleInput } from "./inputs/role.ts";
import { operation } from "./operation.ts";

export const roleSchema = z
	.object({
		name: z.string(),
		base: z.enum(ROLES).nullable().meta({ description: "The built-in role that it restricts; null: it is built in." }),
		permissions: z.array(z.string()),
		accounts: z.number().meta({ description: "Accounts with this role, disabled ones included." }),
	})
	.meta({ id: "Role" });

const roleName = z.string().min(1).max(64);
const named = z.strictObject({ name: roleName });

export const role = {
	list: operation({
		method: "GET",
		path: "/roles",
		summary: "List built-in and custom roles with their permissions",
		description: "[Custom roles](security.md#custom-roles).",
		permission: "account:manage",
		output: z.array(roleSchema),
		procedure: "query",
	}),
	create: operation({
		method: "POST",
		path: "/roles",
		summary: "Create a custom role with some of a built-in role's permissions",
		permission: "account:manage",
		example: { name: "operator", base: "platform", permissions: ["job:read", "job:cancel", "capacity:read"] },
		input: createRoleInput,
		output: named,
		status: 201,
		procedure: "mutation",
	}),
	update: operation({
		method: "PATCH",
		path: "/roles/{name}",
		summary: "Replace the permissions of a custom role",
		permission: "account:manage",
		example: { permissions: ["job:read", "capacity:read"] },
		input: updateRoleInput.extend({ name: roleName }),
		output: named,
		procedure: "mutation",
	}),
	delete: operation({
		method: "DELETE",
		path: "/roles/{name}",
		summary: "Delete a custom role that no account and no group mapping has",
		permission: "account:manage",
		input: named,
		output: named,
		procedure: "mutation",
	}),
};
