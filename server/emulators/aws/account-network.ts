import type { SecurityGroup } from "@aws-sdk/client-ec2";
import { hex17 } from "./catalog.ts";
import { Ec2Error } from "./ec2-error.ts";
import { OWNER_ID, type World } from "./world.ts";

/**
 * The security groups of a region: first the one of its default network, which allows its own traffic as Amazon creates it, then
 * the account's.
 */
export function groupsIn({ options, catalog }: World, region: string): SecurityGroup[] {
	const own = options.securityGroups.filter((group) => group.region === region);
	return [
		groupView(defaultGroupOf(region), "default", true),
		...own.map(({ id, letsItselfIn }) => groupView(id, `group ${id}`, letsItselfIn)),
	].map((group) => ({ ...group, VpcId: catalog.vpcOf(region) }));
}

export function defaultGroupOf(region: string): string {
	return `sg-${hex17(`default/${region}`)}`;
}

function groupView(GroupId: string, GroupName: string, letsItselfIn: boolean): SecurityGroup {
	return {
		...{ GroupId, GroupName, Description: GroupName, OwnerId: OWNER_ID },
		IpPermissions: letsItselfIn ? [{ IpProtocol: "-1", UserIdGroupPairs: [{ GroupId, UserId: OWNER_ID }], IpRanges: [] }] : [],
		IpPermissionsEgress: [{ IpProtocol: "-1", UserIdGroupPairs: [], IpRanges: [{ CidrIp: "0.0.0.0/0" }] }],
	};
}

/**
 * Returns the named groups without duplicates.
 * @throws Ec2Error InvalidGroup.NotFound
 */
export function requireGroups(world: World, region: string, ids: readonly string[]): SecurityGroup[] {
	const known = groupsIn(world, region);
	return [...new Set(ids)].map((id) => {
		const found = known.find(({ GroupId }) => GroupId === id);
		if (!found) throw new Ec2Error("InvalidGroup.NotFound", `The security group '${id}' does not exist`);
		return found;
	});
}

/**
 * Returns the named key pairs. An account's key pairs exist in all of its regions.
 * @throws Ec2Error InvalidKeyPair.NotFound
 */
export function requireKeyPairs({ options }: World, names: readonly string[]): string[] {
	const missing = names.find((name) => !options.keyPairs.includes(name));
	if (missing !== undefined) throw new Ec2Error("InvalidKeyPair.NotFound", `The key pair '${missing}' does not exist`);
	return [...new Set(names)];
}
