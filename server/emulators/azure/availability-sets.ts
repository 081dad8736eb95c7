import { ArmError, invalidParameter } from "./arm-error.ts";
import type { AvailabilitySetRecord } from "./availability-set-records.ts";
import { type AzureMachine, occupiesName } from "./machine.ts";
import type { World } from "./world.ts";

/** The sets of a resource group. Azure ignores case in its name. */
export function setsOf({ availabilitySets, catalog }: World, resourceGroup: string): AvailabilitySetRecord[] {
	const all = [...catalog.regions].flatMap((region) => availabilitySets.in(region));
	return all.filter((set) => set.resourceGroup.toLowerCase() === resourceGroup.toLowerCase());
}

export function findSet(world: World, resourceGroup: string, name: string): AvailabilitySetRecord | undefined {
	return setsOf(world, resourceGroup).find((set) => set.name.toLowerCase() === name.toLowerCase());
}

/** The set's machines that exist. */
export function membersOf({ book }: World, { name, resourceGroup }: AvailabilitySetRecord): AzureMachine[] {
	const key = `${resourceGroup}/${name}`.toLowerCase();
	return book.machines().filter((machine) => occupiesName(machine) && machine.availabilitySet === key);
}

/**
 * The key of a launch's set: `group/name` in lower case; null without one. Sources: Microsoft Learn, "Availability sets overview", and
 * "Error messages for Azure Spot Virtual Machines and scale sets".
 * @throws ArmError for a set that does not exist or is in another region, for spot, and for a zone
 */
export function readAvailabilitySet(
	world: World,
	{ availabilitySetId: id, region, zone, spot }: { availabilitySetId: string | null; region: string; zone: string | null; spot: boolean },
): string | null {
	if (id === null) return null;
	if (spot)
		throw new ArmError(
			"AzureSpotVMNotSupportedInAvailabilitySet",
			"The Azure Spot Virtual Machine is not supported in Availability Set. You need to choose to either use an Azure Spot Virtual Machine or use a VM in an availability set, you cannot choose both.",
		);
	if (zone !== null)
		throw invalidParameter("availabilitySet", "a virtual machine in an availability zone cannot be in an availability set.");
	const [, group = "", name = ""] = /\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/availabilitySets\/([^/]+)$/i.exec(id) ?? [];
	const found = findSet(world, group, name);
	if (!found) throw new ArmError("ResourceNotFound", `The Resource 'Microsoft.Compute/availabilitySets/${name}' was not found.`, 404);
	if (found.region !== region) throw invalidParameter("availabilitySet", `the availability set is in ${found.region}, not in ${region}.`);
	return `${group}/${name}`.toLowerCase();
}
