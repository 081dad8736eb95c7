import { groupMapping } from "#server/contract/group-mapping.ts";
import { removeGroupMapping, setGroupMapping } from "#server/services/governance/group-map/change.ts";
import { checkGroups, listGroupMappings } from "#server/services/governance/group-map/list.ts";
import { bind } from "./bind.ts";

export const groupMappingOperations = {
	list: bind(groupMapping.list, listGroupMappings),
	set: bind(groupMapping.set, setGroupMapping),
	remove: bind(groupMapping.remove, removeGroupMapping),
	check: bind(groupMapping.check, checkGroups),
};
