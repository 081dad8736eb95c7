import type { FieldErrors } from "#components/page/field-errors.ts";
import { PERMISSION_AREAS, permissionsFor } from "#server/domain/custom-role.ts";
import type { Permission } from "#server/domain/permissions.ts";
import { NAME } from "#server/domain/schema/values.ts";
import type { Role } from "#server/domain/vocabulary.ts";

export interface RoleDraft {
	name: string;
	base: Role;
	permissions: readonly Permission[];
}

export function checkRole({ name, permissions }: RoleDraft): FieldErrors {
	return {
		...(NAME.test(name) ? {} : { name: 'Use 1 to 63 letters, digits, ".", "_" or "-", starting and ending with a letter or digit.' }),
		...(permissions.length === 0 ? { permissions: "Choose at least one permission." } : {}),
	};
}

/** The draft with another base; keeps the permissions that the base has. */
export function withBase(draft: RoleDraft, base: Role): RoleDraft {
	const possible = permissionsFor(base);
	return { ...draft, base, permissions: draft.permissions.filter((permission) => possible.includes(permission)) };
}

interface Area {
	area: string;
	permissions: { permission: Permission; label: string }[];
}

/** What a role with this base may contain, by area; areas without a permission are omitted. */
export function areasFor(base: Role): Area[] {
	const possible = new Set(permissionsFor(base));
	return Object.entries(PERMISSION_AREAS)
		.map(([area, labels]) => ({
			area,
			permissions: (Object.entries(labels) as [Permission, string][])
				.filter(([permission]) => possible.has(permission))
				.map(([permission, label]) => ({ permission, label })),
		}))
		.filter(({ permissions }) => permissions.length > 0);
}
