import { role } from "#server/contract/role.ts";
import { listRoles } from "#server/services/governance/role/list.ts";
import { createRole, deleteRole, updateRole } from "#server/services/governance/role/manage.ts";
import { bind } from "./bind.ts";

export const roleOperations = {
	list: bind(role.list, listRoles),
	create: bind(role.create, createRole),
	update: bind(role.update, (ctx, { name, ...changes }) => updateRole(ctx, name, changes)),
	delete: bind(role.delete, (ctx, { name }) => deleteRole(ctx, name)),
};
