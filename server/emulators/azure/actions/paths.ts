const SUBSCRIPTION = "/subscriptions/{subscriptionId}/providers/Microsoft.Compute";
const GROUP = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Microsoft.Compute";

/** As in the definitions from which the SDK was generated. */
export const PATHS = {
	vm: `${GROUP}/virtualMachines/{vmName}`,
	vmsOfGroup: `${GROUP}/virtualMachines`,
	availabilitySet: `${GROUP}/availabilitySets/{availabilitySetName}`,
	availabilitySets: `${GROUP}/availabilitySets`,
	deallocate: `${GROUP}/virtualMachines/{vmName}/deallocate`,
	start: `${GROUP}/virtualMachines/{vmName}/start`,
	evict: `${GROUP}/virtualMachines/{vmName}/simulateEviction`,
	vmsOfLocation: `${SUBSCRIPTION}/locations/{location}/virtualMachines`,
	vms: `${SUBSCRIPTION}/virtualMachines`,
	operation: `${SUBSCRIPTION}/locations/{location}/operations/{operationId}`,
	images: `${SUBSCRIPTION}/locations/{location}/publishers/{publisherName}/artifacttypes/vmimage/offers/{offer}/skus/{skus}/versions`,
	skus: `${SUBSCRIPTION}/skus`,
	usages: `${SUBSCRIPTION}/locations/{location}/usages`,
} as const;

/** The API versions of the SDK that the project uses (@azure/arm-compute 25). */
export const COMPUTE_VERSION = "2026-04-01";
export const SKUS_VERSION = "2021-07-01";
