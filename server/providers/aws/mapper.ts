import type { RunInstancesCommandInput } from "@aws-sdk/client-ec2";
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
import { networkOf, placementGroupOf } from "./gang-placement.ts";
import type { ParsedAwsSettings } from "./settings.ts";

/** The fields of EC2's `Instance` that are read. Additional fields are accepted; a missing one makes the response invalid. */
export const ec2InstanceSchema = z.object({
	InstanceId: z.string().min(1),
	InstanceType: z.string().min(1),
	State: z.object({ Name: z.enum(["pending", "running", "shutting-down", "terminated", "stopping", "stopped"]) }),
	LaunchTime: z.date(),
	Placement: z.object({ AvailabilityZone: z.string().min(1) }),
	InstanceLifecycle: z.string().optional(),
	StateReason: z.object({ Code: z.string().optional() }).optional(),
	StateTransitionReason: z.string().optional(),
	PrivateIpAddress: z.string().optional(),
	Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]),
});
export type Ec2Instance = z.output<typeof ec2InstanceSchema>;

export const reservationSchema = z.object({ Instances: z.array(ec2InstanceSchema).min(1) });

const STATES = {
	pending: "pending",
	running: "running",
	"shutting-down": "stopping",
	stopping: "stopping",
	stopped: "stopped",
	terminated: "terminated",
} as const satisfies Record<Ec2Instance["State"]["Name"], InstanceObservation["state"]>;

export function observationOf(region: string, instance: Ec2Instance): InstanceObservation {
	const state = STATES[instance.State.Name];
	const ending = state !== "pending" && state !== "running";
	return {
		providerInstanceId: instance.InstanceId,
		instanceId: tagOf(instance, INSTANCE_TAG),
		region,
		zone: instance.Placement.AvailabilityZone,
		instanceType: instance.InstanceType,
		capacityType: capacityTypeOf(instance),
		state,
		launchedAtMs: instance.LaunchTime.getTime(),
		billing: billingOf(instance),
		stateReasonCode: ending ? (instance.StateReason?.Code ?? null) : null,
		privateAddress: instance.PrivateIpAddress ?? null,
	};
}

function capacityTypeOf({ InstanceLifecycle }: Ec2Instance): InstanceObservation["capacityType"] {
	if (InstanceLifecycle === "capacity-block") return "reserved";
	return InstanceLifecycle === "spot" ? "spot" : "on_demand";
}

/** Reasons of machines that never ran. Source: EC2 API reference, StateReason: "during launch" and similar. */
const FAILED_LAUNCH = new Set([
	"Client.InternalError",
	"Client.InvalidSnapshot.NotFound",
	"Client.VolumeLimitExceeded",
	"Server.InsufficientInstanceCapacity",
]);

/**
 * EC2 bills only the state `running`, and reports when it ended but not when it began. Source: EC2 User Guide, "Instance
 * lifecycle".
 */
function billingOf({ State, StateReason, StateTransitionReason = "" }: Ec2Instance): Billing {
	if (State.Name === "pending") return { phase: "not_yet" };
	if (State.Name === "running") return { phase: "now", fromMs: null };
	if (FAILED_LAUNCH.has(StateReason?.Code ?? "")) return { phase: "never" };
	// "User initiated (2026-11-22 10:00:00 GMT)". Not every reason includes a time.
	const [, day, time] = /\((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) GMT\)$/.exec(StateTransitionReason) ?? [];
	return { phase: "over", fromMs: null, untilMs: day === undefined ? null : Date.parse(`${day}T${time}Z`) };
}

function tagOf(instance: Ec2Instance, key: string): string | null {
	return instance.Tags.find((tag) => tag.Key === key)?.Value ?? null;
}

/** The root disk of a new machine: its device name in the image, and its size. */
export interface RootDisk {
	deviceName: string;
	gib: number;
}

/**
 * Requests one machine or none, with its tags in the same call. Our token is EC2's client token (at most 64 characters). The disk
 * gets the tags too, so that its lines in a bill can be attributed. `rootDisk` null: the image's own disk. `isBlock`: the
 * reservation is a Capacity Block, which has a separate market type.
 */
export function runInstancesInput(
	request: LaunchRequest,
	settings: ParsedAwsSettings,
	imageId: string,
	{ rootDisk = null, isBlock = false }: { rootDisk?: RootDisk | null; isBlock?: boolean } = {},
): RunInstancesCommandInput {
	const { region, zone, capacityType, reservation } = request;
	const spot = capacityType === "spot";
	const subnet = (zone === null ? undefined : settings.subnets[zone]) ?? settings.subnets[region];
	const groups = settings.securityGroups[region];
	const keyPair = settings.keyPairs[region];
	const group = placementGroupOf(request);
	const tags = [
		{ Key: CONTROL_PLANE_TAG, Value: settings.controlPlane },
		{ Key: INSTANCE_TAG, Value: request.instanceId },
		{ Key: JOB_TAG, Value: request.jobId },
		{ Key: EXPIRES_TAG, Value: new Date(request.expiresAtMs).toISOString() },
	];
	const tagged = spot ? (["instance", "volume", "spot-instances-request"] as const) : (["instance", "volume"] as const);
	return {
		MinCount: 1,
		MaxCount: 1,
		ClientToken: request.instanceId,
		ImageId: imageId,
		InstanceType: request.instanceType as NonNullable<RunInstancesCommandInput["InstanceType"]>,
		// A machine that powers itself off, as the agent does at its expiry, must be terminated and not only stopped.
		InstanceInitiatedShutdownBehavior: "terminate",
		MetadataOptions: { HttpTokens: "required" },
		UserData: Buffer.from(request.userData, "utf8").toString("base64"),
		TagSpecifications: tagged.map((ResourceType) => ({ ResourceType, Tags: tags })),
		...(rootDisk && { BlockDeviceMappings: [rootMapping(rootDisk)] }),
		...(zone === null && group === null
			? {}
			: { Placement: { ...(zone !== null && { AvailabilityZone: zone }), ...(group !== null && { GroupName: group }) } }),
		...networkOf(request, { subnet, groups }),
		...(keyPair === undefined ? {} : { KeyName: keyPair }),
		...(settings.instanceProfile === undefined ? {} : { IamInstanceProfile: { Name: settings.instanceProfile } }),
		// Without a target, EC2 automatically uses an open reservation of this type and zone.
		...(capacityType === "reserved" && reservation
			? { CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: reservation } } }
			: {}),
		...(isBlock ? { InstanceMarketOptions: { MarketType: "capacity-block" as const } } : {}),
		...(spot
			? {
					InstanceMarketOptions: {
						MarketType: "spot",
						SpotOptions: { SpotInstanceType: "one-time", InstanceInterruptionBehavior: "terminate" },
					},
				}
			: {}),
	};
}

/** The disk type that is requested and priced. */
export const ROOT_DISK_TYPE = "gp3";

function rootMapping({ deviceName, gib }: RootDisk) {
	return { DeviceName: deviceName, Ebs: { VolumeType: ROOT_DISK_TYPE, VolumeSize: gib, DeleteOnTermination: true } } as const;
}

/** The image of a region; null if none is configured for it. */
export function imageIn({ imageId }: Pick<ParsedAwsSettings, "imageId">, region: string): string | null {
	return typeof imageId === "string" ? imageId : (imageId[region] ?? null);
}
