import type { protos } from "@google-cloud/compute";
import { z } from "zod";
import { gpuNicsOf, gpuSubnetworksIn } from "#server/domain/interconnect.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { Billing, InstanceObservation, LaunchRequest } from "../driver.ts";
import { isCloseTogether, placementPolicyOf } from "./gang-placement.ts";
import {
	CONTROL_PLANE_LABEL,
	EXPIRES_LABEL,
	INSTANCE_LABEL,
	JOB_LABEL,
	lastPart,
	machineName,
	providerIdOf,
	REQUEST_LABEL,
	regionOfZone,
	sum,
} from "./names.ts";
import type { Ending } from "./operations.ts";
import type { ParsedGcpSettings } from "./settings.ts";
import { bootDiskOf } from "./tpus.ts";

type InstanceResource = protos.google.cloud.compute.v1.IInstance;

const STATES = {
	PENDING: "pending",
	PROVISIONING: "pending",
	STAGING: "pending",
	RUNNING: "running",
	// Google brings it back automatically; it exists and is billed.
	REPAIRING: "running",
	PENDING_STOP: "stopping",
	STOPPING: "stopping",
	SUSPENDING: "stopping",
	DEPROVISIONING: "stopping",
	// Off, with a disk that is still billed.
	TERMINATED: "stopped",
	STOPPED: "stopped",
	SUSPENDED: "stopped",
} as const satisfies Record<string, InstanceObservation["state"]>;

/** The fields of Google's `Instance` that are read. Additional fields are accepted; a missing one makes the response invalid. */
export const gceInstanceSchema = z.object({
	id: z.string().regex(/^\d+$/),
	name: z.string().min(1),
	status: z.enum(Object.keys(STATES) as (keyof typeof STATES)[]),
	zone: z.string().min(1),
	machineType: z.string().min(1),
	creationTimestamp: z.iso.datetime({ offset: true }),
	lastStartTimestamp: z.iso.datetime({ offset: true }).nullish(),
	lastStopTimestamp: z.iso.datetime({ offset: true }).nullish(),
	labels: z.record(z.string(), z.string()).default({}),
	scheduling: z.object({ provisioningModel: z.string().nullish() }).nullish(),
	networkInterfaces: z.array(z.object({ networkIP: z.string().nullish() })).default([]),
});
export type GceInstance = z.output<typeof gceInstanceSchema>;

/** Whether Google has allocated the machine. Only before that can it still report missing capacity. */
export function hasCapacity({ status }: GceInstance): boolean {
	return status !== "PENDING" && status !== "PROVISIONING";
}

/** `ending`: the record of its end, if it was looked up. */
export function observationOf(instance: GceInstance, ending: Pick<Ending, "code" | "untilMs"> | null = null): InstanceObservation {
	const zone = lastPart(instance.zone);
	const state = STATES[instance.status];
	const isEnding = state !== "pending" && state !== "running";
	return {
		providerInstanceId: providerIdOf(zone, instance.id),
		instanceId: instance.labels[INSTANCE_LABEL] ?? null,
		region: regionOfZone(zone),
		zone,
		instanceType: lastPart(instance.machineType),
		capacityType: instance.scheduling?.provisioningModel === "SPOT" ? "spot" : "on_demand",
		state,
		launchedAtMs: Date.parse(instance.creationTimestamp),
		billing: billingOf(instance, ending?.untilMs ?? null),
		stateReasonCode: isEnding ? (ending?.code ?? null) : null,
		privateAddress: instance.networkInterfaces[0]?.networkIP ?? null,
	};
}

/**
 * Google bills a machine while it runs, and reports both times: when it was started, and when it was stopped or its deletion was
 * requested, which is in the record of operations. A machine that is being preempted is billed until the preemption is complete.
 */
function billingOf({ status, lastStartTimestamp, lastStopTimestamp }: GceInstance, endedMs: number | null): Billing {
	const state = STATES[status];
	if (state === "pending") return { phase: "not_yet" };
	const fromMs = lastStartTimestamp ? Date.parse(lastStartTimestamp) : null;
	if (state === "running") return { phase: "now", fromMs };
	if (fromMs === null) return { phase: "never" };
	const stopped = lastStopTimestamp ? Date.parse(lastStopTimestamp) : null;
	const untilMs = endedMs ?? (stopped !== null && stopped >= fromMs ? stopped : null);
	return state === "stopping" && untilMs === null ? { phase: "now", fromMs } : { phase: "over", fromMs, untilMs };
}

/** Google does not end machines automatically beyond this lifetime; one day less, to allow for clock skew. */
const TERMINATION_MS_MAX = 119 * DAY_MS;

/** Requests one machine, with its labels and its expiry in the same call. */
export function instanceResource(request: LaunchRequest, zone: string, settings: ParsedGcpSettings, nowMs: number): InstanceResource {
	const resource = lastingResource(request, zone, settings);
	const hasSwitch = request.expiresAtMs - nowMs <= TERMINATION_MS_MAX;
	const isEndedByGoogle = hasSwitch || request.capacityType === "spot";
	return {
		...resource,
		labels: { ...resource.labels, [REQUEST_LABEL]: sum(JSON.stringify(resource)).slice(0, 40) },
		scheduling: {
			...resource.scheduling,
			// Google's own dead man's switch, as a time instead of a duration, so that a repeated call is identical.
			...(hasSwitch ? { terminationTime: new Date(request.expiresAtMs).toISOString() } : {}),
			...(isEndedByGoogle ? { instanceTerminationAction: "DELETE" } : {}),
		},
	};
}

/** The part that is identical for identical requests. */
function lastingResource(request: LaunchRequest, zone: string, settings: ParsedGcpSettings): InstanceResource {
	const { instanceId, jobId, instanceType, capacityType, reservation, expiresAtMs } = request;
	const { serviceAccount, networkTags, sshKeys } = settings;
	const disk = bootDiskOf(instanceType, settings);
	const policy = placementPolicyOf(request, settings.controlPlane);
	return {
		name: machineName(settings.controlPlane, instanceId),
		machineType: `zones/${zone}/machineTypes/${instanceType}`,
		labels: {
			[CONTROL_PLANE_LABEL]: settings.controlPlane,
			[INSTANCE_LABEL]: instanceId,
			[JOB_LABEL]: jobId,
			[EXPIRES_LABEL]: String(Math.floor(expiresAtMs / 1_000)),
		},
		disks: [
			{
				boot: true,
				autoDelete: true,
				initializeParams: {
					sourceImage: disk.image,
					diskSizeGb: disk.gib,
					diskType: `zones/${zone}/diskTypes/${disk.type}`,
					// The labels let the disk's lines in a bill be attributed.
					labels: { [CONTROL_PLANE_LABEL]: settings.controlPlane, [INSTANCE_LABEL]: instanceId, [JOB_LABEL]: jobId },
				},
			},
		],
		networkInterfaces: networkInterfaces(request, regionOfZone(zone), settings),
		...(policy !== null && { resourcePolicies: [`projects/${settings.project}/regions/${regionOfZone(zone)}/resourcePolicies/${policy}`] }),
		scheduling: {
			provisioningModel: capacityType === "spot" ? "SPOT" : "STANDARD",
			// Machines with GPUs cannot be live-migrated, and one that failed must not be restarted automatically.
			onHostMaintenance: "TERMINATE",
			automaticRestart: false,
		},
		// Without it, Google automatically uses a matching reservation that is open to all.
		...(capacityType === "reserved" && reservation
			? {
					reservationAffinity: {
						consumeReservationType: "SPECIFIC_RESERVATION",
						key: "compute.googleapis.com/reservation-name",
						values: [reservation],
					},
				}
			: {}),
		metadata: {
			items: [
				{ key: "startup-script", value: request.userData },
				...(sshKeys.length === 0 ? [] : [{ key: "ssh-keys", value: sshKeys.join("\n") }]),
			],
		},
		...(networkTags.length === 0 ? {} : { tags: { items: networkTags } }),
		...(serviceAccount === undefined
			? {}
			: { serviceAccounts: [{ email: serviceAccount, scopes: ["https://www.googleapis.com/auth/cloud-platform"] }] }),
	};
}

type NetworkInterface = protos.google.cloud.compute.v1.INetworkInterface;

/** The host's interface, and for a gang with a high-bandwidth interconnect those for GPU traffic, which have no external address. */
function networkInterfaces(request: LaunchRequest, region: string, settings: ParsedGcpSettings): NetworkInterface[] {
	const subnetwork = settings.subnetworks[region];
	const first = {
		...(subnetwork === undefined ? { network: "global/networks/default" } : { subnetwork }),
		...(settings.externalAddress ? { accessConfigs: [{ name: "External NAT", type: "ONE_TO_ONE_NAT" }] } : {}),
	};
	if (!isCloseTogether(request)) return [first];
	const forGpus = gpuSubnetworksIn(region, settings.gpuSubnetworks).slice(0, gpuNicsOf(request.instanceType));
	return [{ ...first, nicType: "GVNIC" }, ...forGpus.map((subnetwork) => ({ subnetwork, nicType: "GVNIC" }))];
}
