import type { InstanceState as Ec2InstanceState, Reservation as Ec2Reservation, Instance, Tag } from "@aws-sdk/client-ec2";
import type { MachineState } from "../../shared/machine-record.ts";
import { privateAddressOf } from "../../shared/private-address.ts";
import { defaultGroupOf } from "../account-network.ts";
import type { Machine, Reservation } from "../book/records.ts";
import { OWNER_ID, type World } from "../world.ts";

// EC2's state codes (API reference, InstanceState).
const STATE_CODES = {
	pending: 0,
	running: 16,
	"shutting-down": 32,
	terminated: 48,
	stopping: 64,
	stopped: 80,
} as const satisfies Record<MachineState, number>;

export function stateView(state: MachineState): Ec2InstanceState {
	return { Code: STATE_CODES[state], Name: state };
}

export function tagsView(tags: Readonly<Record<string, string>>): Tag[] {
	return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** A reservation with the machines of it to show. */
export function reservationView(world: World, reservation: Reservation, machines: readonly Machine[]): Ec2Reservation {
	return {
		ReservationId: reservation.reservationId,
		OwnerId: OWNER_ID,
		Groups: [],
		Instances: machines.map((machine) => instanceView(world, machine)),
	};
}

export function instanceView(world: World, { reservation, instance }: Machine): Instance {
	const vcpus = world.catalog.type(reservation.instanceType)?.vcpus;
	const isOver = instance.state === "terminated";
	const address = isOver ? undefined : privateAddressOf(instance.instanceId);
	return {
		InstanceId: instance.instanceId,
		ImageId: reservation.imageId,
		State: stateView(instance.state),
		PrivateDnsName: address === undefined ? "" : `ip-${address.replaceAll(".", "-")}.${reservation.region}.compute.internal`,
		PublicDnsName: "",
		StateTransitionReason: instance.stateTransitionReason,
		StateReason: instance.stateReason
			? { Code: instance.stateReason.code, Message: instance.stateReason.message }
			: instance.state === "pending"
				? { Code: "pending", Message: "pending" }
				: undefined,
		KeyName: reservation.keyName ?? undefined,
		AmiLaunchIndex: instance.amiLaunchIndex,
		InstanceType: ec2TypeOf(reservation.instanceType),
		LaunchTime: new Date(instance.launchedAtMs),
		Placement: { AvailabilityZone: instance.zone, GroupName: reservation.placementGroup ?? "", Tenancy: "default" },
		Monitoring: { State: "disabled" },
		SubnetId: isOver ? undefined : instance.subnetId,
		VpcId: isOver ? undefined : world.catalog.vpcOf(reservation.region),
		PrivateIpAddress: address,
		SecurityGroups: isOver ? [] : groupsOf(reservation).map((GroupId) => ({ GroupId })),
		Architecture: "x86_64",
		RootDeviceType: "ebs",
		VirtualizationType: "hvm",
		Hypervisor: "xen",
		ClientToken: reservation.clientToken,
		InstanceLifecycle: instance.spot ? "spot" : reservation.capacityReservation?.isBlock ? "capacity-block" : undefined,
		CapacityReservationId: reservation.capacityReservation?.id,
		SpotInstanceRequestId: instance.spot?.requestId,
		CpuOptions: vcpus === undefined ? undefined : { CoreCount: Math.max(1, Math.floor(vcpus / 2)), ThreadsPerCore: vcpus > 1 ? 2 : 1 },
		MetadataOptions: {
			State: "applied",
			HttpTokens: "required",
			HttpEndpoint: "enabled",
			HttpPutResponseHopLimit: 1,
			InstanceMetadataTags: "disabled",
		},
		Tags: tagsView(instance.tags),
	};
}

function groupsOf({ region, securityGroupIds }: Reservation): readonly string[] {
	return securityGroupIds.length > 0 ? securityGroupIds : [defaultGroupOf(region)];
}

// The SDK's type lists the types known when it was built; the catalog may contain newer ones, as the service does.
function ec2TypeOf(instanceType: string): NonNullable<Instance["InstanceType"]> {
	return instanceType as NonNullable<Instance["InstanceType"]>;
}
