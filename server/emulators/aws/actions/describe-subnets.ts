import { DescribeSubnets$, type DescribeSubnetsRequest, type DescribeSubnetsResult } from "@aws-sdk/client-ec2";
import { Ec2Error } from "../ec2-error.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

/** The subnets of a default network: one for each zone. */
export const describeSubnets = defineAction<DescribeSubnetsRequest, DescribeSubnetsResult>({
	operation: DescribeSubnets$,
	supports: ["SubnetIds", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const zones = world.catalog.zonesIn(region);
		const ids = input.SubnetIds ?? [];
		const missing = ids.find((id) => !zones.some(({ subnetId }) => subnetId === id));
		if (missing !== undefined) throw new Ec2Error("InvalidSubnetID.NotFound", `The subnet ID '${missing}' does not exist`);
		return {
			Subnets: zones
				.filter(({ subnetId }) => ids.length === 0 || ids.includes(subnetId))
				.map(({ zone, zoneId, subnetId }) => ({
					...{ SubnetId: subnetId, AvailabilityZone: zone, AvailabilityZoneId: zoneId, VpcId: world.catalog.vpcOf(region) },
					...{ State: "available" as const, DefaultForAz: true, MapPublicIpOnLaunch: true },
				})),
		};
	},
});
