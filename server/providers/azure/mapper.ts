import { createHash } from "node:crypto";
import type { VirtualMachine } from "@azure/arm-compute";
import { z } from "zod";
import {
	type Billing,
	CONTROL_PLANE_TAG,
	EXPIRES_TAG,
	INSTANCE_TAG,
	type InstanceObservation,
	JOB_TAG,
	type LaunchRequest,
} from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import { availabilitySetId, availabilitySetOf } from "./gang-placement.ts";
import { machineNameOf, providerIdOf, refOfResourceId } from "./names.ts";
import { type AzureImage, azureImageSchema, type ParsedAzureSettings } from "./settings.ts";

/** A hash of the request: the same name with another hash is another machine. */
export const LAUNCH_TAG = "spillway:launch";

/** Premium SSD, which all GPU machines support. Also the priced type. */
export const OS_DISK_TYPE = "Premium_LRS";

/** The version of the network API for creating the machine's network interface. */
export const NETWORK_API_VERSION = "2022-11-01";

const statusesSchema = z.object({ statuses: z.array(z.object({ code: z.string(), message: z.string().optional() })).default([]) });

/**
 * The fields of Azure's virtual machine that are read. Additional fields are accepted; a missing one makes the response invalid.
 */
export const azureVmSchema = z.object({
	name: z.string().min(1),
	id: z.string().min(1),
	/** Azure's id for it, used in attested documents. */
	vmId: z.string().min(1).optional(),
	location: z.string().min(1),
	provisioningState: z.string().min(1),
	timeCreated: z.date(),
	hardwareProfile: z.object({ vmSize: z.string().min(1) }),
	priority: z.string().optional(),
	zones: z.array(z.string()).optional(),
	capacityReservation: z.object({}).optional(),
	tags: z.record(z.string(), z.string()).default({}),
	instanceView: statusesSchema.optional(),
});
export type AzureVm = z.output<typeof azureVmSchema>;

/** The response to a creation request. The SDK returns it unparsed, with nested properties. */
export const azureVmAnswerSchema = z
	.object({ properties: z.object({ timeCreated: z.coerce.date() }).loose() })
	.loose()
	.transform(({ properties, ...rest }) => ({ ...properties, ...rest }))
	.pipe(azureVmSchema);

/** A line of a list that contains only states. */
export const azureStatusSchema = z.object({ id: z.string().min(1), instanceView: statusesSchema });
export type AzureStatus = z.output<typeof azureStatusSchema>;

export function observationOf(vm: AzureVm): InstanceObservation {
	const ref = refOfResourceId(vm.id);
	if (!ref)
		throw new DriverError("transient", `Azure: ${JSON.stringify(vm.id)} is not the id of a virtual machine`, {
			providerCode: "UnexpectedAnswer",
		});
	const region = vm.location.toLowerCase();
	const [zone] = vm.zones ?? [];
	return {
		providerInstanceId: providerIdOf(ref),
		...(vm.vmId === undefined ? {} : { signedId: vm.vmId.toLowerCase() }),
		instanceId: vm.tags[INSTANCE_TAG] ?? null,
		region,
		zone: zone === undefined ? null : `${region}-${zone}`,
		instanceType: vm.hardwareProfile.vmSize,
		capacityType: vm.priority === "Spot" || vm.priority === "Low" ? "spot" : vm.capacityReservation ? "reserved" : "on_demand",
		state: stateOf(vm),
		launchedAtMs: vm.timeCreated.getTime(),
		billing: billingOf(vm),
		stateReasonCode: failureIn(vm)?.code ?? null,
		// The address belongs to the network interface, a separate resource; the machine's agent reports it.
		privateAddress: null,
	};
}

/**
 * A machine that could not be created is `stopped`: it runs nothing and must be deleted. One that shut itself down is too, and is
 * billed until then. Without a power state it has not started yet.
 */
function stateOf({ provisioningState, instanceView }: AzureVm): InstanceObservation["state"] {
	if (provisioningState === "Deleting") return "stopping";
	if (provisioningState === "Failed") return "stopped";
	switch (powerIn(instanceView)) {
		case "running":
			return "running";
		case "stopping":
		case "deallocating":
			return "stopping";
		case "stopped":
		case "deallocated":
			return "stopped";
		default:
			return "pending";
	}
}

/** Whether Azure has found capacity for its start. */
export function isAllocated({ instanceView }: AzureVm): boolean {
	const power = powerIn(instanceView);
	return power === "starting" || power === "running";
}

/** The word after `PowerState/`; undefined if there is none. */
function powerIn(instanceView: AzureVm["instanceView"]): string | undefined {
	return instanceView?.statuses.map(({ code }) => /^PowerState\/(.+)$/i.exec(code)?.[1]?.toLowerCase()).find((word) => word !== undefined);
}

/**
 * Azure bills from the power state `starting` until the machine is being deallocated or deleted, including time in which it is
 * shut down. It reports neither time: `timeCreated` is before the start, and the times in its instance view are about
 * provisioning only. Source: Microsoft Learn, "States and billing status of Azure Virtual Machines".
 */
function billingOf({ provisioningState, instanceView }: AzureVm): Billing {
	const power = powerIn(instanceView);
	const isOver = provisioningState === "Deleting" || power === "deallocating" || power === "deallocated";
	if (isOver) return { phase: "over", fromMs: null, untilMs: null };
	if (power !== undefined) return { phase: "now", fromMs: null };
	return provisioningState === "Failed" ? { phase: "never" } : { phase: "not_yet" };
}

/** Why Azure could not create or start it, e.g. AllocationFailed; null if it could, or is still trying. */
export function failureIn({ provisioningState, instanceView }: AzureVm): { code: string; message: string } | null {
	if (provisioningState !== "Failed") return null;
	for (const { code, message = "" } of instanceView?.statuses ?? []) {
		const reason = /^ProvisioningState\/failed\/(.+)$/i.exec(code)?.[1];
		if (reason !== undefined) return { code: reason, message };
	}
	return { code: "ProvisioningFailed", message: "Azure reported no reason" };
}

/** Requests a machine with its disk and network interface, which are deleted with it, and its tags, all in one call. */
export function virtualMachineOf(request: LaunchRequest, settings: ParsedAzureSettings, sshPublicKey: string): VirtualMachine {
	const { region, zone, instanceType, capacityType, instanceId, userData } = request;
	const tags = tagsOf(request, settings.controlPlane);
	const image = imageIn(settings, region);
	if (image === null) throw new DriverError("invalid_request", `no machine image is set for ${region}; add one to the site's settings`);
	const set = availabilitySetOf(request);
	const reservation = capacityType === "reserved" ? (request.reservation ?? settings.capacityReservationGroups[region]) : undefined;
	return {
		location: region,
		tags,
		...zonesOf(region, zone),
		...(set !== null && { availabilitySet: { id: availabilitySetId(settings, set) } }),
		hardwareProfile: { vmSize: instanceType },
		storageProfile: {
			imageReference: image,
			osDisk: {
				createOption: "FromImage",
				deleteOption: "Delete",
				diskSizeGB: settings.osDiskGiB,
				managedDisk: { storageAccountType: OS_DISK_TYPE },
			},
		},
		osProfile: {
			computerName: machineNameOf(instanceId),
			adminUsername: settings.adminUsername,
			// cloud-init executes it at the first boot.
			customData: Buffer.from(userData, "utf8").toString("base64"),
			linuxConfiguration: {
				disablePasswordAuthentication: true,
				ssh: { publicKeys: [{ path: `/home/${settings.adminUsername}/.ssh/authorized_keys`, keyData: sshPublicKey }] },
			},
		},
		networkProfile: networkOf(settings, region, tags),
		...(capacityType === "spot" ? { priority: "Spot", evictionPolicy: "Delete", billingProfile: { maxPrice: -1 } } : {}),
		...(settings.machineIdentity === undefined
			? {}
			: { identity: { type: "UserAssigned", userAssignedIdentities: { [settings.machineIdentity]: {} } } }),
		...(reservation === undefined ? {} : { capacityReservation: { capacityReservationGroup: { id: reservation } } }),
	};
}

/** Azure uses `1` for our `eastus-1`. */
export function zonesOf(region: string, zone: string | null): { zones?: string[] } {
	return zone === null ? {} : { zones: [zone.slice(region.length + 1)] };
}

function tagsOf(request: LaunchRequest, controlPlane: string): Record<string, string> {
	return {
		[CONTROL_PLANE_TAG]: controlPlane,
		[INSTANCE_TAG]: request.instanceId,
		[JOB_TAG]: request.jobId,
		[EXPIRES_TAG]: new Date(request.expiresAtMs).toISOString(),
		[LAUNCH_TAG]: launchSum(request),
	};
}

/** Azure never returns custom data, so a request is identified by its hash. */
export function launchSum(request: LaunchRequest): string {
	const { instanceId, jobId, region, zone, instanceType, capacityType, userData, expiresAtMs } = request;
	const asked = [instanceId, jobId, region, zone, instanceType, capacityType, userData, expiresAtMs];
	return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}

function networkOf(
	settings: ParsedAzureSettings,
	region: string,
	tags: Record<string, string>,
): NonNullable<VirtualMachine["networkProfile"]> {
	const subnet = settings.subnets[region];
	if (subnet === undefined) throw new DriverError("invalid_request", `no subnet is set for ${region}; add one to the site's settings`);
	const group = settings.securityGroups[region];
	return {
		networkApiVersion: NETWORK_API_VERSION,
		networkInterfaceConfigurations: [
			{
				name: "nic",
				primary: true,
				deleteOption: "Delete",
				tags,
				...(group === undefined ? {} : { networkSecurityGroup: { id: group } }),
				ipConfigurations: [{ name: "ip", primary: true, subnet: { id: subnet } }],
			},
		],
	};
}

/** The image for a region; null if none is configured. */
export function imageIn({ image }: ParsedAzureSettings, region: string): AzureImage | null {
	const one = azureImageSchema.safeParse(image);
	if (one.success) return one.data;
	const found = Object.entries(image).find(([name]) => name === region)?.[1];
	return found === undefined || typeof found === "string" ? null : found;
}
