import type { InstanceNetworkInterfaceSpecification, RunInstancesCommandInput, Tag } from "@aws-sdk/client-ec2";
import { z } from "zod";
import { efaInterfacesOf, firstEfaCardOf, needsInterconnect } from "#server/domain/interconnect.ts";
import { CONTROL_PLANE_TAG, JOB_TAG, type LaunchRequest } from "../driver.ts";

const GROUP_PREFIX = "spillway-";

/** The fields of a placement group that are read. */
export const placementGroupSchema = z.object({ GroupName: z.string().min(1), State: z.string().optional() });

export function isCloseTogether({ nodes = 1, interconnect }: LaunchRequest): boolean {
	return needsInterconnect({ nodes, interconnect });
}

/**
 * Name of the cluster placement group of a gang that needs a high-bandwidth interconnect. null without one, and for a named reservation:
 * EC2 accepts a targeted reservation only in the group in which it was made, and a Capacity Block is already close together.
 */
export function placementGroupOf(request: LaunchRequest): string | null {
	return isCloseTogether(request) && !request.reservation ? `${GROUP_PREFIX}${request.attemptId}` : null;
}

/** The attempt of a group by its name. */
export function attemptOfGroup(name: string): string | null {
	return name.startsWith(GROUP_PREFIX) ? name.slice(GROUP_PREFIX.length) : null;
}

export function placementGroupTags({ jobId }: LaunchRequest, controlPlane: string): Tag[] {
	return [
		{ Key: CONTROL_PLANE_TAG, Value: controlPlane },
		{ Key: JOB_TAG, Value: jobId },
	];
}

/** Where the machine is connected. EC2 takes subnet and groups either for the instance or for each interface. */
export function networkOf(
	request: LaunchRequest,
	{ subnet, groups }: { subnet: string | undefined; groups: string[] | undefined },
): Pick<RunInstancesCommandInput, "NetworkInterfaces" | "SubnetId" | "SecurityGroupIds"> {
	const efas = isCloseTogether(request) ? efaInterfacesOf(request.instanceType) : 0;
	const place = { ...(subnet !== undefined && { SubnetId: subnet }) };
	if (efas === 0) return { ...place, ...(groups !== undefined && { SecurityGroupIds: groups }) };
	const common = { ...place, ...(groups !== undefined && { Groups: groups }), DeleteOnTermination: true };
	const first = firstEfaCardOf(request.instanceType);
	const primary = first === 0 ? [] : [{ NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: "interface" }];
	const cards = Array.from({ length: efas }, (_, index) => efaOn(first + index));
	return { NetworkInterfaces: [...primary, ...cards].map((one) => ({ ...one, ...common })) };
}

/**
 * One EFA on each network card that has them. On card 0 it also carries IP; the others are EFA-only, so that they use no addresses. If card 0
 * has none, a plain interface there carries IP. Source: EC2 User Guide, "Maximize network bandwidth on Amazon EC2 instances with multiple
 * network cards".
 */
function efaOn(card: number): InstanceNetworkInterfaceSpecification {
	return { NetworkCardIndex: card, DeviceIndex: card === 0 ? 0 : 1, InterfaceType: card === 0 ? "efa" : "efa-only" };
}
