import {
	DescribeSecurityGroups$,
	type DescribeSecurityGroupsRequest,
	type DescribeSecurityGroupsResult,
	type SecurityGroup,
} from "@aws-sdk/client-ec2";
import { groupsIn, requireGroups } from "../account-network.ts";
import { compileFilters } from "../filters.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

export const describeSecurityGroups = defineAction<DescribeSecurityGroupsRequest, DescribeSecurityGroupsResult>({
	operation: DescribeSecurityGroups$,
	supports: ["GroupIds", "Filters", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const matches = compileFilters<SecurityGroup>(input.Filters, {
			fields: { "group-id": ({ GroupId = "" }) => [GroupId], "group-name": ({ GroupName = "" }) => [GroupName] },
		});
		const ids = input.GroupIds ?? [];
		return { SecurityGroups: (ids.length > 0 ? requireGroups(world, region, ids) : groupsIn(world, region)).filter(matches) };
	},
});
