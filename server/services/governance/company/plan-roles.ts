import type { CompanySpec } from "#server/domain/company-schema.ts";
import { permissionsFor } from "#server/domain/custom-role.ts";
import { listRoles } from "../role/list.ts";
import { createRole, deleteRole, updateRole } from "../role/manage.ts";
import { type Change, type CompanyContext, differences, type PlanPart } from "./change.ts";

type Role = NonNullable<CompanySpec["roles"]>[number];

/** Built-in roles are not part of the plan. */
export async function planRoles(ctx: CompanyContext, wanted: readonly Role[], prune: boolean): Promise<PlanPart> {
	const known = new Map((await listRoles(ctx)).filter(({ base }) => base !== null).map((role) => [role.name, role]));
	const changes = wanted.flatMap(({ name, base, permissions }): Change[] => {
		const before = known.get(name);
		const after = { base, permissions: sorted(permissions) };
		const fields = differences(before ? { base: before.base, permissions: sorted(before.permissions) } : null, after);
		if (!before)
			return [{ ...{ kind: "role", id: name, action: "create", fields }, apply: (at) => createRole(at, { name, base, permissions }) }];
		if (fields.length === 0) return [];
		return [{ ...{ kind: "role", id: name, action: "update", fields }, apply: (at) => updateRole(at, name, { permissions }) }];
	});
	const names = new Set(wanted.map(({ name }) => name));
	const removed = prune ? [...known.keys()].filter((name) => !names.has(name)) : [];
	return {
		changes: [
			...changes,
			...removed.map(
				(name): Change => ({ ...{ kind: "role", id: name, action: "remove", fields: [] }, apply: (at) => deleteRole(at, name) }),
			),
		],
		skipped: [],
		problems: wanted.flatMap(({ name, base, permissions }, index) => {
			const before = known.get(name);
			const possible = permissionsFor(base);
			return [
				...(before && before.base !== base
					? [
							{
								at: ["spec", "roles", index, "base"],
								message: `${name} is based on ${before.base}, which cannot change. Use another name.`,
							},
						]
					: []),
				...permissions.flatMap((permission, no) =>
					possible.includes(permission)
						? []
						: [{ at: ["spec", "roles", index, "permissions", no], message: `A role based on ${base} cannot have ${permission}.` }],
				),
			];
		}),
	};
}

const sorted = <T extends string>(permissions: readonly T[]): T[] => [...new Set(permissions)].sort();
