import type { ArmAction } from "./action.ts";
import { createAvailabilitySet, deleteAvailabilitySet, listAvailabilitySets } from "./availability-sets.ts";
import { createVm } from "./create-vm.ts";
import { listImages } from "./list-images.ts";
import { listSkus } from "./list-skus.ts";
import { listUsages } from "./list-usages.ts";
import { listAll, listOfGroup, listOfLocation } from "./lists.ts";
import { deleteVm, evictVm, getVm } from "./one-vm.ts";
import { getOperation } from "./operation.ts";
import { deallocateVm, startVm } from "./vm-power.ts";

const ACTIONS: readonly ArmAction[] = [
	createVm,
	getVm,
	deleteVm,
	evictVm,
	deallocateVm,
	startVm,
	listAll,
	listOfLocation,
	listOfGroup,
	listSkus,
	listImages,
	listUsages,
	createAvailabilitySet,
	listAvailabilitySets,
	deleteAvailabilitySet,
	getOperation,
];

export interface FoundAction {
	action: ArmAction;
	path: Record<string, string>;
}

/** The actions of an address, for any method. Azure ignores the case of a path's fixed words. */
export function actionsAt(path: string): FoundAction[] {
	const given = path.split("/").filter((part) => part !== "");
	return ACTIONS.flatMap((action) => {
		const found = match(action.path.split("/").slice(1), given);
		return found === null ? [] : [{ action, path: found }];
	});
}

function match(pattern: readonly string[], given: readonly string[]): Record<string, string> | null {
	if (pattern.length !== given.length) return null;
	const variables: Record<string, string> = {};
	for (const [i, word] of pattern.entries()) {
		const part = given[i] ?? "";
		const name = /^\{(.+)\}$/.exec(word)?.[1];
		if (name !== undefined) variables[name] = decodeURIComponent(part);
		else if (word.toLowerCase() !== part.toLowerCase()) return null;
	}
	return variables;
}
