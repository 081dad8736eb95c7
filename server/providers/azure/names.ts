/** Azure's machine names have no underscore; our ids have no hyphen, so that the way back is clear. */
export function machineNameOf(instanceId: string): string {
	return instanceId.replaceAll("_", "-").toLowerCase();
}

/** A machine as the control plane names it: `resourceGroup/name`, in lower case, as Azure writes them in any case. */
export interface MachineRef {
	resourceGroup: string;
	name: string;
}

export function providerIdOf({ resourceGroup, name }: MachineRef): string {
	return `${resourceGroup}/${name}`.toLowerCase();
}

/** Null: not an id of this form, so that no machine of Azure's has it. */
export function readProviderId(providerInstanceId: string): MachineRef | null {
	const [, resourceGroup, name] = /^([^/]+)\/([^/]+)$/.exec(providerInstanceId) ?? [];
	return resourceGroup !== undefined && name !== undefined ? { resourceGroup, name } : null;
}

/** The group is in the resource id alone. Null: not the resource id of a machine. */
export function refOfResourceId(resourceId: string): MachineRef | null {
	const found = /\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/virtualMachines\/([^/]+)$/i.exec(resourceId);
	const [, resourceGroup, name] = found ?? [];
	return resourceGroup !== undefined && name !== undefined ? { resourceGroup, name } : null;
}
