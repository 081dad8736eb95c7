import { z } from "zod";
import { anyReach, type Reach, reachOfRange } from "../reach.ts";

/** The fields of a security group that are read: the sources that its rules allow. */
export const securityGroupSchema = z.object({
	GroupId: z.string().min(1),
	IpPermissions: z
		.array(
			z.object({
				IpProtocol: z.string(),
				FromPort: z.number().optional(),
				ToPort: z.number().optional(),
				UserIdGroupPairs: z.array(z.object({ GroupId: z.string().optional() })).default([]),
				IpRanges: z.array(z.object({ CidrIp: z.string().optional() })).default([]),
			}),
		)
		.default([]),
});
export type SecurityGroup = z.output<typeof securityGroupSchema>;

/** Whether machines that all have these groups accept each other's traffic on all TCP ports. The rules of all groups add up. */
export function reachWithin(groups: readonly SecurityGroup[]): Reach {
	const own = new Set(groups.map(({ GroupId }) => GroupId));
	const open = groups.flatMap(({ IpPermissions }) => IpPermissions).filter(isForAllPorts);
	return anyReach(
		open.flatMap(({ UserIdGroupPairs, IpRanges }): Reach[] => [
			...UserIdGroupPairs.map(({ GroupId }): Reach => (GroupId !== undefined && own.has(GroupId) ? "yes" : "no")),
			...IpRanges.map(({ CidrIp = "" }) => reachOfRange(CidrIp)),
		]),
	);
}

/** All ports are needed, because a command's rendezvous and its collectives choose their own. */
function isForAllPorts({ IpProtocol, FromPort = 0, ToPort = 65_535 }: SecurityGroup["IpPermissions"][number]): boolean {
	return IpProtocol === "-1" || (IpProtocol === "tcp" && FromPort <= 1_024 && ToPort === 65_535);
}
