/** Azure's machine names allow no underscore, and our ids contain no hyphen, so the conversion is reversible. */
export function machineNameOf(instanceId: string): string {
	return instanceId.replaceAll("_", "-").toLowerCase();
}

/** A machine's id in the control plane: `resourceGroup/name`, in lower case, because Azure varies the case. */
export interface MachineRef {
	resourceGroup: string;
	name: string;
}

export function providerIdOf({ resourceGroup, name }: MachineRef): string {
	return `${resourceGroup}/${name}`.toLowerCase();
}

/** null if the id does not have this form, so no Azure machine has it. */
export function readProviderId(providerInstanceId: string): MachineRef | null {
	const [, resourceGroup, name] = /^([^/]+)\/([^/]+)$/.exec(providerInstanceId) ?? [];
	return resourceGroup !== undefined && name !== undefined ? { resourceGroup, name } : null;
}

/** Only the resource id contains the group. null if it is not the resource id of a machine. */
export function refOfResourceId(resourceId: string): MachineRef | null {
	const found = /\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/virtualMachines\/([^/]+)$/i.exec(resourceId);
	const [, resourceGroup, name] = found ?? [];
	return resourceGroup !== undefined && name !== undefined ? { resourceGroup, name } : null;
}
