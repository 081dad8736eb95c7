import { z } from "zod";
import { PERMISSIONS } from "#server/domain/permissions.ts";
import { name } from "#server/domain/schema/values.ts";
import { ROLES } from "#server/domain/vocabulary.ts";

const permissions = z.array(z.enum(PERMISSIONS)).min(1, "Choose at least one permission.").max(PERMISSIONS.length);

export const createRoleInput = z.strictObject({
	name: name(),
	/** The built-in role that it restricts. Cannot be changed. */
	base: z.enum(ROLES),
	/** A part of the base's permissions, without account:manage. */
	permissions,
});

export const updateRoleInput = z.strictObject({ permissions });
