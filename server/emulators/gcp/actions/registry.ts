import type { GceAction } from "./action.ts";
import { getImage, getImageOfFamily, getSubnetwork, listFirewalls } from "./at-hand.ts";
import { insertInstance } from "./insert-instance.ts";
import { startInstance, stopInstance } from "./instance-power.ts";
import { aggregateInstances, deleteInstance, getInstance, listInstances } from "./instances.ts";
import { getOperation, listOperations, waitForOperation } from "./operations.ts";
import { getRegion } from "./regions.ts";
import { deleteResourcePolicy, getResourcePolicy, insertResourcePolicy, listResourcePolicies } from "./resource-policies.ts";
import { listMachineTypes, listZones } from "./zones.ts";

export const ACTIONS: readonly GceAction[] = [
	...[insertInstance, getInstance, listInstances, aggregateInstances, deleteInstance, stopInstance, startInstance],
	...[getOperation, listOperations, waitForOperation],
	...[listZones, listMachineTypes, getRegion],
	...[insertResourcePolicy, getResourcePolicy, listResourcePolicies, deleteResourcePolicy],
	...[getImage, getImageOfFamily, getSubnetwork, listFirewalls],
];
